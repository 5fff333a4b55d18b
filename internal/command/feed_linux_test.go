package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// 100,000 reviews take at most 20 seconds of a processor, and 100 MB.
func TestLongFeed(t *testing.T) {
	testkit.Long(t, "it imports 100,000 comments")
	const products, each = 1000, 100
	dir := t.TempDir()
	var comments, catalogue bytes.Buffer
	for p := range products {
		fmt.Fprintf(&catalogue, `{"productId":"p%d","name":"Product","url":"https://shop.example/%[1]d","sku":"s%[1]d"}`+"\n", p)
		for n := range each {
			fmt.Fprintf(&comments, `{"productId":"p%d","commentId":"c%[1]d-%d","rating":%d,"language":"en","createdAt":"2026-02-03T04:%02d:06Z","author":"Ann","title":"Good","text":"%s"}`+"\n",
				p, n, 1+n%5, n%60, strings.Repeat(fmt.Sprint("words of ", p, " and ", n, " "), 15))
		}
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "products.ndjson"), catalogue.Bytes(), 0o600))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "comments"), comments.Bytes(), 0o600))
	wantRun(t, dir, "", 0, "100000 written", "import", "--data-dir=data", "comments")
	c := exec.CommandContext(t.Context(), program, "export", "--data-dir=data", "--format=google-reviews", "--catalogue=products.ndjson", "--publisher=Shop", "--output=reviews.xml.gz")
	var log bytes.Buffer
	c.Dir, c.Env, c.Stderr = dir, environment(), &log
	began := time.Now()
	testkit.Must(t, c.Start())
	peak := make(chan int)
	ended := make(chan struct{})
	go func() {
		most := 0
		for {
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
				most = max(most, anonymous(c.Process.Pid))
			}
		}
	}()
	err := c.Wait()
	close(ended)
	took, used, memory := time.Since(began), c.ProcessState.UserTime()+c.ProcessState.SystemTime(), <-peak
	testkit.Need(t, err == nil && strings.Contains(log.String(), "100000"), "%v %s", err, log.String())
	t.Logf("100,000 reviews took %s, %s of the processor and %d MB", took, used, memory)
	testkit.Check(t, used <= 20*time.Second && memory > 0 && memory <= 100, "%s of the processor and %d MB", used, memory)
}

// anonymous returns the memory of a process in MB, without files that are mapped; 0 if it has ended.
func anonymous(pid int) (mb int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, after, ok := strings.Cut(string(status), "RssAnon:"); ok {
		_, _ = fmt.Sscan(after, &mb)
	}
	return mb >> 10
}
