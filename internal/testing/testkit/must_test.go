package testkit

import (
	"errors"
	"fmt"
	"testing"
)

// failures is a Test that counts how often it failed.
type failures int

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { *f++ }
func (f *failures) Fatal(...any)          { *f++ }

func TestHelpersFail(t *testing.T) {
	broken := errors.New("it is broken")
	for name, c := range map[string]struct {
		passes, fails func(Test)
	}{
		"Must wants no error":       {func(t Test) { Must(t, nil) }, func(t Test) { Must(t, broken) }},
		"Equal wants the value":     {func(t Test) { Equal(t, 1, 1, "one") }, func(t Test) { Equal(t, 1, 2, "one") }},
		"Check wants the condition": {func(t Test) { Check(t, true, "it") }, func(t Test) { Check(t, false, "it") }},
		"Need wants the condition":  {func(t Test) { Need(t, true, "it") }, func(t Test) { Need(t, false, "it") }},
		"Fails wants an error":      {func(t Test) { Fails(t, broken, "broken") }, func(t Test) { Fails(t, nil, "broken") }},
		"Fails wants its words":     {func(t Test) { Fails(t, broken, "is") }, func(t Test) { Fails(t, broken, "whole") }},
		"Err returns the error":     {func(t Test) { Must(t, Err(1, nil)) }, func(t Test) { Must(t, Err(1, broken)) }},
	} {
		var none, one failures
		c.passes(&none)
		c.fails(&one)
		Check(t, none == 0 && one == 1, "%s: %d and %d failures", name, none, one)
	}
	seen := make([]string, 4)
	AtOnce(len(seen), func(i int) { seen[i] = fmt.Sprint(i) })
	Equal(t, fmt.Sprint(seen), "[0 1 2 3]", "the calls")
}
