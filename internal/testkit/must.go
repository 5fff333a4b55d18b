package testkit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Test is what this package needs of a test: that of testing, and that of rapid.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Must fails the test if a call failed.
func Must(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Value returns what a call returned, and fails the test if it failed: Value(call())(t).
func Value[T any](value T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		Must(t, err)
		return value
	}
}

// Equal fails the test unless a value is the one that is wanted. The format says what has it.
func Equal[T comparable](t Test, got, want T, format string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf(format+": got %v, want %v", append(args, got, want)...)
	}
}

// Check fails the test unless a condition holds; the test continues.
func Check(t Test, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf("%s", fmt.Sprintf(format, args...))
	}
}

// Need ends the test unless a condition holds.
func Need(t Test, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatal(fmt.Sprintf(format, args...))
	}
}

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

// Each joins what a format makes of 0 to n-1, such as fields of a document.
func Each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+" ", i)
	}
	return b.String()
}
