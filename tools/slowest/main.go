// Slowest reads the events of `go test -json` from its input. It prints what failed, then the
// slowest tests and packages, and fails if a test failed or if a package takes too long for a run
// after each change: long tests, which only `make test-all` runs, do not count.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	listed = 20                // slowest tests, and packages
	most   = 200 * time.Second // of a package without its long tests: 30 s alone, and browsers and another package share the processors
)

func main() {
	ok, err := report(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// event is an event of test2json; see `go doc test2json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // seconds
}

// spent is the time of a test, or of a package.
type spent struct {
	name       string
	took, long time.Duration
}

// report reads events and writes the report. ok is false if a test failed, nothing was run, or a
// package takes too long.
func report(events io.Reader, w io.Writer) (ok bool, err error) {
	tests, packages := []spent{}, []spent{}
	output, long := map[string]*strings.Builder{}, map[string]time.Duration{}
	isLong := map[string]bool{} // by package and test
	ok = true
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		} else if err != nil && err != io.EOF {
			return false, err
		}
		var e event
		if json.Unmarshal(line, &e) != nil { // what the build prints
			_, _ = w.Write(line)
			continue
		}
		name := cmp.Or(e.Package, e.ImportPath)
		test, _, isPart := strings.Cut(e.Test, "/")
		whole := name + " " + test
		if e.Test != "" {
			name += " " + e.Test
		}
		took := time.Duration(e.Elapsed * float64(time.Second))
		switch e.Action {
		case "output", "build-output":
			if output[name] == nil {
				output[name] = &strings.Builder{}
			}
			output[name].WriteString(e.Output)
			isLong[whole] = isLong[whole] || strings.Contains(e.Output, "long test: ")
			continue
		case "fail", "build-fail":
			ok = false
			if said := output[name]; said != nil {
				fmt.Fprint(w, said)
			}
		case "pass", "skip":
		default:
			continue
		}
		switch {
		case e.Action == "build-fail":
		case e.Test == "":
			packages = append(packages, spent{name, took, long[name]})
		case !isPart:
			tests = append(tests, spent{name: name, took: took})
			if isLong[whole] {
				long[e.Package] += took
			}
		}
		delete(output, name)
	}
	fmt.Fprintf(w, "the slowest of %d tests:\n", len(tests))
	slowest(w, tests)
	fmt.Fprintf(w, "the slowest of %d packages:\n", len(packages))
	slowest(w, packages)
	for _, p := range packages {
		if p.took-p.long > most {
			ok = false
			fmt.Fprintf(w, "%s takes %.1f s without its long tests, the limit is %v: make tests faster, or mark them with testkit.Long\n", p.name, (p.took - p.long).Seconds(), most)
		}
	}
	return ok && len(tests) > 0, nil
}

// slowest writes the longest times of a list.
func slowest(w io.Writer, all []spent) {
	slices.SortStableFunc(all, func(a, b spent) int { return cmp.Compare(b.took, a.took) })
	for _, s := range all[:min(len(all), listed)] {
		fmt.Fprintf(w, "%8.2f s  %s\n", s.took.Seconds(), s.name)
	}
}
