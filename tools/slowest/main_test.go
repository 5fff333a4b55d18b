package main

import (
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

func TestReport(t *testing.T) {
	const pass, long = `{"Action":"pass","Package":"p","Test":"T","Elapsed":201}`, `{"Action":"output","Package":"p","Test":"T/part","Output":"long test: it builds clients\n"}`
	for name, c := range map[string]struct {
		events, says string
		ok           bool
	}{
		"nothing":                  {"", "0 tests", false},
		"all passed":               {`{"Action":"pass","Package":"p","Test":"T","Elapsed":1.5}` + "\n" + `{"Action":"pass","Package":"p","Elapsed":29}`, "1.50 s  p T", true},
		"a package is slow":        {pass + "\n" + `{"Action":"pass","Package":"p","Elapsed":201}`, "p takes 201.0 s without its long tests", false},
		"a long test":              {long + "\n" + pass + "\n" + `{"Action":"pass","Package":"p","Elapsed":90}`, "90.00 s  p\n", true},
		"a test failed":            {`{"Action":"output","Package":"p","Test":"T","Output":"got 1"}` + "\n" + `{"Action":"fail","Package":"p","Test":"T"}`, "got 1", false},
		"a package does not build": {`{"Action":"build-output","ImportPath":"p","Output":"undefined: x"}` + "\n" + `{"Action":"build-fail","ImportPath":"p"}` + "\n" + pass, "undefined: x", false},
		"no event":                 {"go: downloading x\n" + `{"Action":"pass","Package":"p","Test":"T"}`, "go: downloading x", true},
	} {
		var out strings.Builder
		ok := testkit.Value(report(strings.NewReader(c.events), &out))(t)
		testkit.Check(t, ok == c.ok && strings.Contains(out.String(), c.says), "%s: %v, %s", name, ok, &out)
	}
}
