package command

import (
	"strings"
	"testing"
)

// A table that is as it should be needs nothing.
func TestTableUpgrade(t *testing.T) {
	dir := t.TempDir()
	wantRun(t, dir, lines, 0, "", "import", "--data-dir=data", "-")
	if out := wantRun(t, dir, "", 0, "is as this version needs it", "table", "upgrade", "--data-dir=data", "--apply", "--backfill"); !strings.Contains(out, "gave 0 comments") {
		t.Error(out)
	}
}
