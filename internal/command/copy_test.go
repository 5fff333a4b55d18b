package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// One command makes an exact copy of a table in another engine, while the table
// is served or not, and only once.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "comments.ndjson", lines)
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	wantRun(t, dir, "", 0, "", "import", "--data-dir="+old, "comments.ndjson")
	copying := func(status int, want string, more ...string) string {
		t.Helper()
		return wantRun(t, dir, "", status, want, append([]string{"copy", "--data-dir=" + old, "--to-engine=embedded", "--to-data-dir=" + fresh, "--poll=10ms"}, more...)...)
	}
	copying(exitFailed, "--to-table", "--to-data-dir="+old)
	if out := copying(0, "2 comments and 0 other items: 2 written", "--ahead"); !strings.Contains(out, "without --ahead") {
		t.Error(out)
	}
	if out := copying(0, "2 comments and 0 other items: 0 written, 0 deleted"); !strings.Contains(out, "complete") {
		t.Error(out)
	}
	copying(exitFailed, "complete copy already")
	if out := wantRun(t, dir, "", 0, "", "export", "--data-dir="+fresh, "--product=42"); out != lines {
		t.Errorf("the copy has\n%s\nwant\n%s", out, lines)
	}
	wantRun(t, dir, "", 0, "2 comments, 0 copies: 0 differences", "stats", "verify", "--data-dir="+fresh)
}

// A table that is as it should be needs nothing.
func TestTableUpgrade(t *testing.T) {
	dir := t.TempDir()
	wantRun(t, dir, lines, 0, "", "import", "--data-dir=data", "-")
	if out := wantRun(t, dir, "", 0, "is as this version needs it", "table", "upgrade", "--data-dir=data", "--apply", "--backfill"); !strings.Contains(out, "gave 0 comments") {
		t.Error(out)
	}
}
