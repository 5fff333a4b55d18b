package command

import (
	"os"
	"path/filepath"
	"testing"
)

// A secret is made where visitors may vote, and nowhere else.
func TestTheSecretOfVisitors(t *testing.T) {
	dir := t.TempDir()
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
