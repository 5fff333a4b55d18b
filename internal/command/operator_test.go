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

// The operator's commands, next to a server that keeps the statistics.
func TestStatisticsCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dataDir := "--data-dir=" + filepath.Join(dir, "data")
	s := startServer(t, filepath.Join(dir, "data"))
	command := func(status int, want string, arguments ...string) {
		t.Helper()
		wantRun(t, dir, "", status, want, append(arguments, dataDir)...)
	}
	write(t, dir, "comments.ndjson", lines)
	command(0, "2 written", "import", "comments.ndjson")
	const counts = `{product(id:"42"){comments(ratings:[4,5]){totalCount} stats{totalCount averageRating}}}`
	want := `{"data":{"product":{"comments":{"totalCount":2},"stats":{"totalCount":2,"averageRating":4.5}}}}`
	waitUntil(t, "the comments are counted", func() bool { return strings.TrimSpace(s.query(t, counts)) == want })
	command(0, "2 comments, 0 copies: 0 differences", "stats", "verify")
	command(0, "product 42: power-set", "product", "set", "42", "--projection=power-set")
	command(0, "2 comments, 64 copies: 0 differences", "stats", "verify", "--rate=1000")
	testkit.Equal(t, strings.TrimSpace(s.query(t, counts)), want, "with a power set")
	command(0, "products with 5 comments or more are ranked by the average of their ratings and 10 more ratings of 3.5", "stats", "scoring")
	command(0, "products with 2 comments or more are ranked by the average of their ratings and 10 more ratings of 3.25", "stats", "scoring", "--mean=3.25", "--least=2")
	const best = `{leaderboard(by:SCORE){edges{score node{productId}}}}`
	waitUntil(t, "the server knows of the new scores", func() bool {
		return strings.TrimSpace(s.query(t, best)) == `{"data":{"leaderboard":{"edges":[{"score":3.458333333,"node":{"productId":"42"}}]}}}`
	})
	command(0, "product 42: changed 0 comments", "product", "plain-languages", "42")
	command(0, "", "stats", "rebuild")
	command(0, "2 comments, 64 copies: 0 differences", "stats", "verify")
	waitUntil(t, "the server knows of the new statistics", func() bool { return strings.TrimSpace(s.query(t, counts)) == want })
	command(0, "product 42: indexes", "product", "set", "42", "--projection=indexes")
	command(0, "2 comments, 0 copies: 0 differences", "stats", "verify")
	s.stop(t, syscall.SIGTERM)
	code := s.cmd.ProcessState.ExitCode()
	testkit.Check(t, code == 0, "it ended with %d:\n%s", code, s.log)
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
