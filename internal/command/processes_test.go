package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"product-comments/internal/testing/testkit"
)

// A server, a projector, two imports and exports work side by side on one data directory: none
// waits for another to end, every line arrives once, and the statistics agree.
func TestProcessesShareADirectory(t *testing.T) {
	t.Parallel()
	const products, each = 2, 400
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	s := startServer(t, data, "--no-projector", "--admin-addr=")
	project(t, data, nil)
	flag := "--data-dir=" + data
	var imports sync.WaitGroup
	for n := range products {
		var text bytes.Buffer
		for i := range each {
			fmt.Fprintf(&text, `{"productId":"p%d","commentId":"c%d-%d","rating":%d,"language":"en","createdAt":"2026-02-03T04:05:06Z"}`+"\n", n, n, i, 1+i%5)
		}
		file := write(t, dir, fmt.Sprintf("p%d.ndjson", n), text.String())
		imports.Go(func() {
			_, log, status := run(t, dir, "", "import", flag, file)
			testkit.Check(t, status == 0, "import: %d, %s", status, log)
		})
	}
	imported := make(chan struct{})
	go func() { imports.Wait(); close(imported) }()
	for done := false; !done; {
		select {
		case <-imported:
			done = true
		default:
		}
		out := wantRun(t, dir, "", 0, "", "export", flag, "--product=p0")
		if done {
			testkit.Equal(t, strings.Count(out, `"commentId"`), each, "exported comments")
		}
		answer := s.query(t, `{product(id:"p0"){comments(first:1){edges{node{commentId}}}}}`)
		testkit.Need(t, strings.Contains(answer, `"data"`) && !strings.Contains(answer, `"errors"`), "%s", answer)
	}
	for n := range products {
		waitUntil(t, "statistics have every comment", func() bool {
			got := s.query(t, fmt.Sprintf(`{product(id:"p%d"){stats{totalCount}}}`, n))
			return strings.Contains(got, fmt.Sprintf(`"totalCount":%d`, each))
		})
	}
	wantVerified(t, data, products*each)
}
