package testkit

import (
	"os"
	"testing"
)

// All reports whether long tests run too: TESTS=all, which `make test-all` sets.
func All() bool { return os.Getenv("TESTS") == "all" }

// Long skips a test that takes long, with the reason, unless All. The test must call it itself,
// not in a subtest, so that tools/slowest does not count its time.
func Long(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skipf("make test-all runs it: %s", why)
	}
	t.Logf("long test: %s", why)
}
