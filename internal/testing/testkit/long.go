package testkit

import (
	"os"
	"testing"
)

// All reports whether long tests run too: TESTS=all, which `make test-all` sets. The log then says
// so, and tools/slowest does not count the time of the test.
func All(t testing.TB) bool {
	t.Helper()
	all := os.Getenv("TESTS") == "all"
	if all {
		t.Log("long test: it runs whole")
	}
	return all
}

// Long skips a test that takes long, with the reason, unless All.
func Long(t testing.TB, why string) {
	t.Helper()
	if !All(t) {
		t.Skipf("make test-all runs it: %s", why)
	}
}
