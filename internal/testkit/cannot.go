package testkit

import (
	"os"
	"testing"
)

// Cannot ends a test that this machine cannot run, for a reason that says what it
// lacks. On a developer's machine the test is skipped. In continuous integration,
// where CI is set, it fails: what is never run there guards nothing.
func Cannot(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
