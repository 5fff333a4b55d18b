package testkit

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Test is the common part of testing.TB and rapid's T.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Must fails the test if err is not nil.
func Must(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Value returns the value of a call, and fails the test if the call failed: Value(call())(t).
func Value[T any](value T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		Must(t, err)
		return value
	}
}

// Equal fails the test unless got is want. The format describes the value.
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

// Err returns the error of a call that also returns a value.
func Err[T any](_ T, err error) error { return err }

// Fails fails the test unless a call failed with an error that says something.
func Fails(t Test, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want an error that says %q", err, says)
	}
}

// AtOnce calls a function with each of 0 to n-1, all at the same time, and returns when
// all calls have returned.
func AtOnce(n int, do func(i int)) {
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { do(i) })
	}
	running.Wait()
}

// Cannot ends a test that this machine cannot run; the arguments describe the missing condition. On
// a developer's machine the test is skipped. In continuous integration, where CI is set, it fails,
// because a test that never runs guards nothing.
func Cannot(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Each joins the results of a format for 0 to n-1, such as fields of a document.
func Each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+" ", i)
	}
	return b.String()
}
