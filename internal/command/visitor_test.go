package command

import (
	"os"
	"path/filepath"
	"testing"
)

// Visitors may vote where requests are limited. A secret is made there, and nowhere else.
func TestVisitorFlags(t *testing.T) {
	dir := t.TempDir()
	none, some := 0, 60000
	for limit, f := range map[*int]visitorFlags{nil: {AnonymousVotes: true}, &some: {AnonymousVotes: true}, &none: {}} {
		if err := f.checkVisitors(limit); err != nil {
			t.Error(err)
		}
	}
	if c, err := (&visitorFlags{}).visitors(filepath.Join(dir, "none")); c != nil || err != nil {
		t.Errorf("off: %v, %v", c, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a secret is made for nothing")
	}
	made := filepath.Join(dir, "visitor.key")
	if c, err := (&visitorFlags{AnonymousVotes: true}).visitors(made); c == nil || err != nil {
		t.Errorf("made: %v, %v", c, err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
