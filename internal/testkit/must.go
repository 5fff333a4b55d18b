package testkit

// Test is what Must and Get need of a test: that of testing, and that of rapid.
type Test interface {
	Helper()
	Fatal(args ...any)
}

// Must fails the test if a call failed.
func Must(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns what a call returned, and fails the test if it failed: Get(call())(t).
func Get[T any](value T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		Must(t, err)
		return value
	}
}
