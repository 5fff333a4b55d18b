package command

import (
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// Operators see which comments are still to be brought to definitions, from the command
// line and from a server, and that there are none.
func TestAttributesCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command := func(status int, want string, arguments ...string) {
		t.Helper()
		wantRun(t, dir, "", status, want, append(arguments, "--data-dir=data")...)
	}
	const done = "all comments are as the definitions of their attributes say\n"
	command(0, done, "attributes", "status")
	command(0, "", "attributes", "fill")
	write(t, dir, "definitions", definitionsFile)
	s := startServer(t, filepath.Join(dir, "data"), "--no-projector", "--admin-addr=127.0.0.1:0")
	got := get(t, s.operators(t)+"/readyz?verbose")
	testkit.Check(t, !strings.Contains(got, "definitions"), "without definitions: %s", got)
	command(0, "", "import", "--definitions=definitions")
	command(exitFound, "product 3: no projector has begun it yet\n", "attributes", "status")
	command(exitFound, "group shoes: ", "attributes", "status")
	waitUntil(t, "the server tells of definitions", func() bool {
		got := get(t, s.operators(t)+"/readyz?verbose")
		return strings.Contains(got, "definitions of attributes: product 3: no projector has begun it yet\n") &&
			strings.Contains(got, "definitions of attributes: group shoes: ")
	})
}
