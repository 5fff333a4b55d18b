package command

import (
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// A table that is as it should be needs nothing.
func TestTableUpgrade(t *testing.T) {
	dir := t.TempDir()
	wantRun(t, dir, lines, 0, "", "import", "--data-dir=data", "-")
	out := wantRun(t, dir, "", 0, "is as this version needs it", "table", "upgrade", "--data-dir=data", "--apply", "--backfill")
	testkit.Check(t, strings.Contains(out, "gave 0 comments"), "%v", out)
}
