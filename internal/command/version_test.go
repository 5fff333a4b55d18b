package command

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"

	"product-comments/internal/testkit"
)

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}}
	on := ", go1.26.0 " + runtime.GOOS + "/" + runtime.GOARCH
	if got, want := spellVersion(info), "product-comments v1.2.3, of an unknown commit"+on; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}
	if got, want := spellVersion(info), "product-comments v1.2.3, commit 0123456789ab of 2026-01-02T03:04:05Z with changes"+on; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out, log, status := run(t, t.TempDir(), "", "--version")
	want := regexp.MustCompile(`^product-comments \S+, (of an unknown commit|commit [0-9a-f]{12} of \S+Z( with changes)?), go\S+ \w+/\w+\n$`)
	testkit.Check(t, status == 0 && want.MatchString(out), "--version: %d %q %s", status, out, log)
}
