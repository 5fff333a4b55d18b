package main

import (
	"sync"
	"testing"

	"github.com/alecthomas/kong"
)

// parsed returns the configuration that these arguments make.
func parsed(t testing.TB, args ...string) *config {
	t.Helper()
	var c config
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(args); err != nil {
		t.Fatal(err)
	}
	return &c
}

// report is what the program prints without arguments, made once for all tests.
var report = sync.OnceValues(func() ([]section, error) {
	var c config
	parser, err := kong.New(&c)
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(nil); err != nil {
		return nil, err
	}
	return c.sections(c.simulate())
})

func TestFlagsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{"--read-limit=0"}, {"--first-page=0.8", "--deep-pages=0.3"}, {"--cacheable=1.5"}, {"--warm-partitions=2"},
		{"--servers=0"}, {"--products=5"}, {"--deepest=1"}, {"--transaction=1us"}, {"--heat-minutes=0"}, {"--views=0"},
	} {
		var c config
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(args); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
