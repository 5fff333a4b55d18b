package main

import (
	"fmt"
	"io"
	"runtime"
)

// report is all that was measured. What was not is empty.
type report struct {
	flags      flags
	sets       []*dataSet // of units and texts
	units      []unitsFigures
	lists      []listFigures
	hot        []hotFigures
	texts      []textsRow
	imported   *importFigures
	projecting *projectingFigures
	forms      *formsFigures
	cursor     int // characters of our longest
	memory     []memory
}

// memory is the most bytes of memory that a server had.
type memory struct {
	what  string
	bytes int64 // 0 if it is not known
	own   bool  // of our server
}

// remember notes how much memory a server took. It must still run.
func (r *report) remember(what string, s server, own bool) {
	r.memory = append(r.memory, memory{what, peakMemory(s.PID()), own})
}

// printer writes a line.
type printer func(format string, args ...any)

func (r *report) print(w io.Writer) {
	p := printer(func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) })
	p("%d rounds of %s each, medians; pages of %d; %s, %d processors.", r.flags.Rounds, r.flags.Duration, pageSize, runtime.Version(), runtime.NumCPU())
	for _, u := range r.units {
		u.print(p)
	}
	r.printPages(p)
	r.printHot(p)
	r.printTexts(p)
	r.printForms(p)
	p("")
	if r.cursor > 0 {
		p("Longest cursor: %d characters.", r.cursor)
	}
	for _, m := range r.memory {
		if m.bytes > 0 {
			p("Most memory of the server, %s: %s.", m.what, megabytes(m.bytes))
		}
	}
	if i := r.imported; i != nil {
		p("Import of %d lines (%s): %.0f comments/s, plain writes of the same items %.0f/s.", i.lines, megabytes(i.fileBytes), i.through, i.plain)
	}
	if f := r.projecting; f != nil {
		p("Projector: %.0f records/s of %d products in %d transactions for %d comments; the engine alone takes %.0f comments/s by PutItem: %.2f.",
			f.projected, f.products, f.transactions, f.records, f.puts, f.projected/f.puts)
		p("Lag at %d comments/s, from before the write until it is counted: p50 %.0f ms, p99 %.0f ms of %d comments.", f.steady, milliseconds(f.lag50), milliseconds(f.lag99), f.lagCount)
	}
	p("")
	for _, t := range r.targets() {
		p("- %s", t)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// known spells a figure that a server may not tell.
func known(units float64) string {
	if units == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", units)
}
