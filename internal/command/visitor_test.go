package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVisitorFlags(t *testing.T) {
	dir := t.TempDir()
	short := write(t, dir, "short", "c2hvcnQ=")
	for want, f := range map[string]visitorFlags{
		"--anonymous-votes needs VISITOR_SECRET or --visitor-secret-file": {AnonymousVotes: true},
		"--visitor-secret-file is for --anonymous-votes":                  {VisitorSecretFile: short},
		"--visitor-secret-file or VISITOR_SECRET":                         {AnonymousVotes: true, VisitorSecretFile: short},
	} {
		if c, err := f.visitors(""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, %v, want %s", f, c, err, want)
		}
	}
	none, some := 0, 60000
	if err := (&visitorFlags{AnonymousVotes: true}).checkVisitors(&none); err == nil || !strings.Contains(err.Error(), "--rate-limit is 0") {
		t.Errorf("without a limit: %v", err)
	}
	for _, limit := range []*int{nil, &some} {
		if err := (&visitorFlags{AnonymousVotes: true}).checkVisitors(limit); err != nil {
			t.Error(err)
		}
	}
	if err := (&visitorFlags{}).checkVisitors(&none); err != nil {
		t.Error(err)
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
