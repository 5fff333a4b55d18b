package command

import (
	"os"
	"path/filepath"
	"testing"

	"product-comments/internal/testkit"
)

// Visitors may vote where requests are limited. A secret is made there, and nowhere else.
func TestVisitorFlags(t *testing.T) {
	dir := t.TempDir()
	none, some := 0, 60000
	for limit, f := range map[*int]visitorFlags{nil: {AnonymousVotes: true}, &some: {AnonymousVotes: true}, &none: {}} {
		testkit.Must(t, f.checkVisitors(limit))
	}
	c, err := (&visitorFlags{}).visitors(filepath.Join(dir, "none"))
	testkit.Check(t, c == nil && err == nil, "off: %v, %v", c, err)
	_, err = os.Stat(filepath.Join(dir, "none"))
	testkit.Check(t, err != nil, "a secret is made for nothing")
	made := filepath.Join(dir, "visitor.key")
	c, err = (&visitorFlags{AnonymousVotes: true}).visitors(made)
	testkit.Check(t, c != nil && err == nil, "made: %v, %v", c, err)
	info, err := os.Stat(made)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o600, "%v, %v", info, err)
}
