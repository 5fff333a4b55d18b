package command

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/child"
)

// The operator's commands, next to servers that keep the statistics. Changes of settings wait until
// all older calls have timed out, so calls of one table wait while calls of others do.
func TestStatisticsCommands(t *testing.T) {
	t.Parallel()
	const (
		counts = `{product(id:"42"){comments(ratings:[4,5]){totalCount} stats{totalCount averageRating}} leaderboard(by:SCORE){edges{score}}}`
		want   = `{"data":{"product":{"comments":{"totalCount":2},"stats":{"totalCount":2,"averageRating":4.5}},"leaderboard":{"edges":[%s]}}}`
	)
	for name, c := range map[string]struct {
		scores string
		steps  [][2]string // the command, and what it says
	}{
		"a power set": {"", [][2]string{
			{"stats verify", "2 comments, 0 copies: 0 differences"},
			{"product set 42 --projection=power-set", "product 42: power-set"},
			{"stats verify --rate=1000", "2 comments, 64 copies: 0 differences"},
			{"product set 42 --projection=indexes", "product 42: indexes"},
			{"stats verify", "2 comments, 0 copies: 0 differences"},
		}},
		"a rebuild": {"", [][2]string{
			{"product set 42 --projection=power-set", "product 42: power-set"},
			{"product plain-languages 42", "product 42: changed 0 comments"},
			{"stats rebuild", ""},
			{"stats verify", "2 comments, 64 copies: 0 differences"},
		}},
		"scores": {`{"score":3.458333333}`, [][2]string{
			{"stats scoring", "products with 5 comments or more are ranked by the average of their ratings and 10 more ratings of 3.5"},
			{"stats scoring --mean=3.25 --least=2", "products with 2 comments or more are ranked by the average of their ratings and 10 more ratings of 3.25"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			s := startServer(t, data)
			wantRun(t, "", lines, 0, "2 written", "import", "-", "--data-dir="+data)
			answers := func(scores string) func() bool {
				return func() bool { return strings.TrimSpace(s.query(t, counts)) == fmt.Sprintf(want, scores) }
			}
			waitUntil(t, "the comments are counted", answers(""))
			for _, step := range c.steps {
				wantRun(t, "", "", 0, step[1], append(strings.Fields(step[0]), "--data-dir="+data)...)
			}
			waitUntil(t, "the server knows of what is new", answers(c.scores))
			s.stop(t, syscall.SIGTERM)
			code := s.cmd.ProcessState.ExitCode()
			testkit.Check(t, code == 0, "it ended with %d:\n%s", code, s.log)
		})
	}
}

// Statistics that no one keeps are reported as such; a projector of its own
// keeps them, tells how far it is, and ends when it is asked to.
func TestProjectorOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, filepath.Join(dir, "data"), "--no-projector", "--admin-addr=127.0.0.1:0")
	wantRun(t, dir, "", exitFound, "not maintained", "stats", "verify", "--data-dir=data")
	got := get(t, s.operators(t)+"/readyz?verbose")
	testkit.Check(t, strings.Contains(got, "projector: not in this process"), "%v", got)
	got = s.query(t, `{product(id:"42"){stats{totalCount}}}`)
	testkit.Check(t, strings.Contains(got, "UNAVAILABLE"), "%v", got)
	port := testkit.Value(child.FreePort())(t)
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	p := exec.Command(program, "project", "--data-dir=data", "--addr=", "--admin-addr="+addr)
	p.Dir, p.Env = dir, environment()
	testkit.Must(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	waitUntil(t, "statistics are kept", func() bool {
		return strings.Contains(s.query(t, `{product(id:"42"){stats{totalCount}}}`), `"totalCount":0`)
	})
	waitUntil(t, "the projector has caught up", func() bool {
		got = get(t, "http://"+addr+"/readyz?verbose")
		return strings.Contains(got, "statistics: kept") && strings.Contains(got, "lag: 0.000 s")
	})
	got = get(t, "http://"+addr+"/metrics")
	testkit.Check(t, strings.Contains(got, "product_comments_projector_lag_seconds 0") && strings.Contains(got, "product_comments_statistics_kept 1"), "%v", got)
	wantVerified(t, filepath.Join(dir, "data"), 0)
	testkit.Must(t, p.Process.Signal(syscall.SIGTERM))
	testkit.Must(t, p.Wait())
}

// get returns what a path answers; while nothing listens, nothing.
func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	text := testkit.Value(io.ReadAll(response.Body))(t)
	return string(text)
}

// Operators see which comments are still to be brought to definitions, from the command
// line and from a server, and that there are none.
func TestAttributesCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command := func(status int, want string, arguments ...string) {
		t.Helper()
		wantRun(t, dir, "", status, want, append(arguments, "--data-dir=data")...)
	}
	const done = "all comments are converted to their attribute definitions\n"
	command(0, done, "attributes", "status")
	command(0, "", "attributes", "fill")
	write(t, dir, "definitions", definitionsFile)
	s := startServer(t, filepath.Join(dir, "data"), "--no-projector", "--admin-addr=127.0.0.1:0")
	got := get(t, s.operators(t)+"/readyz?verbose")
	testkit.Check(t, !strings.Contains(got, "definitions"), "without definitions: %s", got)
	command(0, "", "import", "--definitions=definitions")
	command(exitFound, "product 3: building, no projector has begun it yet\n", "attributes", "status")
	command(exitFound, "group shoes: building, ", "attributes", "status")
	waitUntil(t, "the server tells of definitions", func() bool {
		got := get(t, s.operators(t)+"/readyz?verbose")
		return strings.Contains(got, "definitions of attributes: product 3: building, no projector has begun it yet\n") &&
			strings.Contains(got, "definitions of attributes: group shoes: building, ")
	})
}
