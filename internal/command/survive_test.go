package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"product-comments/internal/files/progress"
	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/child"
)

// howLong returns how long servers are ended and started again: once if all tests run fast, for some
// seconds if long ones run too, and for SOAK_TIME if there is one, as `make soak` sets it.
func howLong(t *testing.T) time.Duration {
	t.Helper()
	s := os.Getenv("SOAK_TIME")
	switch {
	case s != "":
		return testkit.Value(time.ParseDuration(s))(t)
	case testkit.All(t):
		return 2 * time.Second
	default:
		return 0
	}
}

// pair is two servers on one table, at addresses that stay, and visitors who ask
// the other one when a connection breaks, as those behind a balancer do.
type pair struct {
	*testing.T
	dataDir, token string
	ports          [2]int
	servers        [2]*server

	strict          bool // visitors are never told UNAVAILABLE
	refused, broken atomic.Int64

	mu   sync.Mutex
	made map[string]string // the comment of each idempotency key that was acknowledged
}

func startPair(t *testing.T, dataDir string) *pair {
	t.Helper()
	p := &pair{T: t, dataDir: dataDir, made: map[string]string{}}
	for i := range p.servers {
		p.ports[i] = testkit.Value(child.FreePort())(t)
		p.start(i)
	}
	p.token = tokenOf(t, dataDir)
	return p
}

// tokenOf makes a token that servers with the data directory accept.
func tokenOf(t *testing.T, dataDir string) string {
	t.Helper()
	return strings.TrimSpace(wantRun(t, t.TempDir(), "", 0, "", "token", "--data-dir="+dataDir, "--subject=alice", "--role=service"))
}

// wantVerified compares the statistics with the comments, of which there must be so many.
func wantVerified(t *testing.T, dataDir string, comments int) {
	t.Helper()
	wantRun(t, dataDir, "", 0, progress.Counted(int64(comments), "comment")+", ", "stats", "verify", "--data-dir="+dataDir, "--patience=2m")
}

func (p *pair) start(i int) {
	p.Helper()
	p.servers[i] = startServer(p.T, p.dataDir, fmt.Sprintf("--addr=127.0.0.1:%d", p.ports[i]), "--admin-addr=", "--store-timeout=3s", "--log-level=info")
}

// restart ends a server and starts it again at once.
func (p *pair) restart(i int, signal syscall.Signal) {
	p.Helper()
	p.servers[i].stop(p.T, signal)
	p.start(i)
}

var visitors = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 20}}

// ask sends a request until it is answered with data: to the other server if the
// connection broke, and once more if the store does not answer and the answer says
// when to come back.
func (p *pair) ask(query string, into any) {
	body, _ := json.Marshal(map[string]string{"query": query})
	deadline := time.Now().Add(time.Minute)
	for i := rand.IntN(2); ; i = 1 - i {
		if time.Now().After(deadline) {
			p.Errorf("no server answers %s", query)
			return
		}
		status, text, err := p.send(i, body)
		if err != nil {
			p.broken.Add(1)
			time.Sleep(10 * time.Millisecond) // as a client does that was cut off
			continue
		}
		var answer struct {
			Data   json.RawMessage
			Errors []struct {
				Message    string
				Extensions struct {
					Code       string
					RetryAfter int
				}
			}
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			p.Errorf("%d %s: %v", status, text, err)
			return
		}
		if len(answer.Errors) == 0 && status == http.StatusOK {
			if err := json.Unmarshal(answer.Data, into); err != nil {
				p.Errorf("%s: %v", text, err)
			}
			return
		}
		if len(answer.Errors) == 0 || answer.Errors[0].Extensions.Code != "UNAVAILABLE" || answer.Errors[0].Extensions.RetryAfter < 1 || p.strict {
			p.Errorf("%s: %d %s", query, status, text)
			return
		}
		p.refused.Add(1)
		time.Sleep(50 * time.Millisecond) // sooner than it was told, since the test is short
	}
}

func (p *pair) send(i int, body []byte) (int, []byte, error) {
	r, err := http.NewRequestWithContext(p.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/graphql", p.ports[i]), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+p.token)
	response, err := visitors.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

const survivors = "survivors"

// create makes a comment, however often it must be asked for.
func (p *pair) create(key, text string) {
	var data struct {
		CreateComment struct{ Comment struct{ CommentID string } }
	}
	p.ask(fmt.Sprintf(`mutation{createComment(input:{productId:%q,rating:5,language:"en",idempotencyKey:%q,text:%q}){comment{commentId}}}`, survivors, key, text), &data)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[key] = data.CreateComment.Comment.CommentID
}

// writes waits until so many more comments were acknowledged.
func (p *pair) writes(more int) {
	p.Helper()
	acknowledged := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.made)
	}
	before := acknowledged()
	waitUntil(p.T, "visitors have written", func() bool { return acknowledged() >= before+more || p.Failed() })
}

// page reads a page of the comments.
func (p *pair) page(first int, after string) (ids []string, end string) {
	var data struct {
		Product struct {
			Comments struct {
				Nodes    []struct{ CommentID string }
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
			}
		}
	}
	argument := ""
	if after != "" {
		argument = fmt.Sprintf(",after:%q", after)
	}
	p.ask(fmt.Sprintf(`{product(id:%q){comments(first:%d%s){nodes{commentId}pageInfo{hasNextPage endCursor}}}}`, survivors, first, argument), &data)
	for _, n := range data.Product.Comments.Nodes {
		ids = append(ids, n.CommentID)
	}
	if !data.Product.Comments.PageInfo.HasNextPage {
		return ids, ""
	}
	return ids, data.Product.Comments.PageInfo.EndCursor
}

// under lets visitors write and read while something is done to the servers.
func (p *pair) under(what func()) {
	stop := make(chan struct{})
	var running sync.WaitGroup
	for i := range 3 {
		running.Go(func() {
			for n := 0; !p.Failed(); n++ {
				select {
				case <-stop:
					return
				default:
				}
				p.create(fmt.Sprintf("%d-%d-%d", i, n, rand.Int64()), "It goes on.")
				p.page(5, "")
			}
		})
	}
	what()
	close(stop)
	running.Wait()
}

// check compares what was acknowledged with what is there.
func (p *pair) check() {
	if p.Failed() {
		return
	}
	there := map[string]bool{}
	for after, first := "", true; first || after != ""; first = false {
		var ids []string
		ids, after = p.page(100, after)
		for _, id := range ids {
			if there[id] {
				p.Errorf("comment %s is there twice", id)
			}
			there[id] = true
		}
	}
	for key, id := range p.made {
		if !there[id] {
			p.Errorf("comment %s, acknowledged for %s, is lost", id, key)
		}
	}
	if len(there) != len(p.made) {
		p.Errorf("%d comments are there, %d were acknowledged", len(there), len(p.made))
	}
	p.Logf("%d comments acknowledged, none lost; %d connections broke, UNAVAILABLE %d times", len(p.made), p.broken.Load(), p.refused.Load())
}

// resumes notes a place in the list, and returns a function that reports whether a
// walk still continues from there.
func (p *pair) resumes() func() {
	for i := range 12 {
		p.create(fmt.Sprint("old-", i), "From before.")
	}
	_, cursor := p.page(4, "")
	want, _ := p.page(5, cursor)
	return func() {
		if got, _ := p.page(5, cursor); strings.Join(got, " ") != strings.Join(want, " ") {
			p.Errorf("the cursor from before continues with %v, it continued with %v", got, want)
		}
	}
}

// Two servers on one table are restarted one after the other. Visitors notice
// connections that break, and nothing else.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	p := startPair(t, t.TempDir())
	p.strict = true
	resume := p.resumes()
	p.under(func() {
		for deadline, first := time.Now().Add(howLong(t)), true; first || time.Now().Before(deadline); first = false {
			for i := range p.servers {
				p.writes(10)
				p.restart(i, syscall.SIGTERM)
			}
		}
	})
	resume()
	p.check()
}

// Servers, and a projector with the same file, are killed at random moments, while visitors write.
// What was acknowledged is there, and once.
func TestKillsLoseNothing(t *testing.T) {
	t.Parallel()
	dice, p := testkit.Random(t), startPair(t, t.TempDir())
	resume := p.resumes()
	killed := map[string]int{}
	projector := project(t, p.dataDir, nil)
	p.under(func() {
		for deadline, first := time.Now().Add(howLong(t)), true; first || time.Now().Before(deadline); first = false {
			p.writes(dice.IntN(30)) // random moments are what it is about
			killed["a server"]++
			p.restart(dice.IntN(2), syscall.SIGKILL)
			if dice.IntN(2) == 0 {
				killed["the projector"]++
				kill(projector)
				projector = project(t, p.dataDir, nil)
			}
		}
	})
	kill(projector)
	t.Logf("killed %v", killed)
	resume()
	p.check()
	wantVerified(t, p.dataDir, len(p.made))
}

// project starts `product-comments project`, which writes its log there; nil if that fails. It is killed
// at the end of the test at the latest.
func project(t *testing.T, dataDir string, log io.Writer, arguments ...string) *exec.Cmd {
	c := exec.Command(program, append([]string{"project", "--data-dir=" + dataDir, "--addr=", "--admin-addr="}, arguments...)...)
	c.Env, c.Stderr = environment(), log
	if err := c.Start(); err != nil {
		t.Error(err)
		return nil
	}
	t.Cleanup(func() { kill(c) })
	return c
}

func kill(c *exec.Cmd) {
	if c != nil {
		_, _ = c.Process.Kill(), c.Wait()
	}
}

// When the disk is full, writes are refused with UNAVAILABLE, reads go on, and
// nothing that was acknowledged is lost; with room, writes go on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	small := []string{"unshare", "--mount"}
	if os.Geteuid() != 0 {
		small = append(small, "--map-root-user")
	}
	dataDir := filepath.Join(t.TempDir(), "data")
	testkit.Must(t, os.Mkdir(dataDir, 0o700))
	mount := fmt.Sprintf("mount -t tmpfs -o size=6m,mode=700 tmpfs %[1]s && head -c 3000000 /dev/zero > %[1]s/filler", dataDir)
	if out, err := exec.Command(small[0], append(small[1:], "sh", "-c", mount)...).CombinedOutput(); err != nil {
		testkit.Cannot(t, "no small disk can be made here (as root, or where user namespaces are allowed, with util-linux): %v %s", err, out)
	}
	p := &pair{T: t, dataDir: dataDir, made: map[string]string{}}
	s := startServerBy(t, append(small, "sh", "-c", mount+` && exec "$@"`, "sh", program), dataDir, "--admin-addr=", "--store-timeout=2s", "--projector=false")
	within := fmt.Sprintf("/proc/%d/root%s", s.cmd.Process.Pid, dataDir)
	secret, err := os.ReadDir(within)
	testkit.Need(t, err == nil && len(secret) >= 4, "the disk is not to be seen: %v %v", secret, err)
	p.token = tokenOf(t, within)
	write := func(n int) string {
		_, answer := s.as(t, "Bearer "+p.token, fmt.Sprintf(`mutation{createComment(input:{productId:%q,rating:5,language:"en",text:%q}){comment{commentId}}}`, survivors, strings.Repeat(fmt.Sprint(n, " "), 4000)))
		return answer
	}
	full := ""
	for n := range 1000 {
		answer := write(n)
		if id := commentID.FindStringSubmatch(answer); id != nil {
			p.made[fmt.Sprint(n)] = id[1]
			continue
		}
		full = answer
		break
	}
	testkit.Need(t, strings.Contains(full, `"UNAVAILABLE"`) && strings.Contains(full, `"retryAfter":`), "the disk is full after %d comments, or not: %s", len(p.made), full)
	fmt.Sscanf(s.url, "http://127.0.0.1:%d/", &p.ports[0])
	p.ports[1] = p.ports[0]
	p.check() // it is read while the disk is full
	testkit.Must(t, os.Remove(filepath.Join(within, "filler")))
	waitUntil(t, "it writes again", func() bool {
		id := commentID.FindStringSubmatch(write(0))
		if id != nil {
			p.made["again"] = id[1]
		}
		return id != nil
	})
	p.check()
}

var commentID = regexp.MustCompile(`"commentId":"([^"]+)"`)
