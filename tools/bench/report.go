package main

import (
	"fmt"
	"io"
	"strings"
)

// report is what parts yield: lines, tables, and targets at the end.
type report struct {
	text    strings.Builder
	targets []target
	cursor  int // characters of our longest
}

// target is a figure and its limit. A change must miss none.
type target struct {
	what, limit string
	value       float64
	met         bool
}

const mostCursor = 130 // characters

// line adds a paragraph.
func (r *report) line(format string, args ...any) { fmt.Fprintf(&r.text, format+"\n\n", args...) }

// columns begins a table. Names of columns and cells are separated by " | "; the
// first columns, as many as texts says, are texts, the others figures.
func (r *report) columns(texts int, names string) {
	figures := strings.Count(names, " | ") + 1 - texts
	r.text.WriteString("| " + names + " |\n" + strings.Repeat("| --- ", texts) + strings.Repeat("| --: ", figures) + "|\n")
}

// row adds a row of the table.
func (r *report) row(format string, args ...any) { fmt.Fprintf(&r.text, "| "+format+" |\n", args...) }

// end ends the table.
func (r *report) end() { r.text.WriteByte('\n') }

func (r *report) atLeast(what string, value, limit float64) {
	r.targets = append(r.targets, target{what, fmt.Sprintf("at least %.2f", limit), value, value >= limit})
}

func (r *report) atMost(what string, value, limit float64) {
	r.targets = append(r.targets, target{what, fmt.Sprintf("at most %.2f", limit), value, value <= limit})
}

// missed counts targets.
func (r *report) missed() (n int) {
	for _, t := range r.targets {
		if !t.met {
			n++
		}
	}
	return n
}

func (r *report) print(w io.Writer) {
	if r.cursor > 0 {
		r.atMost("longest cursor, characters", float64(r.cursor), mostCursor)
	}
	fmt.Fprint(w, r.text.String())
	for _, t := range r.targets {
		verdict := "met"
		if !t.met {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "- %s: %s: %.3f (%s)\n", verdict, t.what, t.value, t.limit)
	}
}
