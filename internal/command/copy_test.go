package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One command makes an exact copy of a table in another engine, while the table
// is served or not, and only once.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "comments.ndjson"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	if out, log, status := run(t, dir, "", "import", "--data-dir="+old, "comments.ndjson"); status != 0 {
		t.Fatalf("%s%s", out, log)
	}
	copying := func(more ...string) (string, int) {
		t.Helper()
		out, log, status := run(t, dir, "", append([]string{"copy", "--data-dir=" + old, "--to-engine=embedded", "--to-data-dir=" + fresh, "--poll=10ms"}, more...)...)
		return out + log, status
	}
	if out, status := copying("--to-data-dir=" + old); status != exitFailed || !strings.Contains(out, "--to-table") {
		t.Errorf("onto itself: %d %s", status, out)
	}
	if out, status := copying("--ahead"); status != 0 || !strings.Contains(out, "2 comments and 0 other items: 2 written") || !strings.Contains(out, "without --ahead") {
		t.Errorf("ahead: %d %s", status, out)
	}
	if out, status := copying(); status != 0 || !strings.Contains(out, "2 comments and 0 other items: 0 written, 0 deleted") || !strings.Contains(out, "complete") {
		t.Errorf("%d %s", status, out)
	}
	if out, status := copying(); status != exitFailed || !strings.Contains(out, "complete copy already") {
		t.Errorf("again: %d %s", status, out)
	}
	if out, log, status := run(t, dir, "", "export", "--data-dir="+fresh, "--product=42"); status != 0 || out != lines {
		t.Errorf("the copy has\n%s\nwant\n%s%s", out, lines, log)
	}
	if out, log, status := run(t, dir, "", "stats", "verify", "--data-dir="+fresh); status != 0 || !strings.Contains(out, "2 comments, 0 copies: 0 differences") {
		t.Errorf("%d %s%s", status, out, log)
	}
}

// A table that is as it should be needs nothing.
func TestTableUpgrade(t *testing.T) {
	dir := t.TempDir()
	if out, log, status := run(t, dir, lines, "import", "--data-dir=data", "-"); status != 0 {
		t.Fatalf("%s%s", out, log)
	}
	if out, log, status := run(t, dir, "", "table", "upgrade", "--data-dir=data", "--apply", "--backfill"); status != 0 || !strings.Contains(out, "is as this version needs it") || !strings.Contains(out, "gave 0 comments") {
		t.Errorf("%d %s%s", status, out, log)
	}
}
