// Command bench measures the service beside part 3 of the series taken at its
// word (package literal): one engine, the same comments, the same pages, in the
// same run; and pages in the order of an attribute beside an index of ids.
//
//	bench ── HTTP ──▶ product-comments serve ──▶ packed table ─┐
//	      ├─ HTTP ──▶ literal ─────────────────▶ plain table ──┼─▶ engine
//	      └─ package store ────────────────────▶ both ─────────┘
//
// Everything that is measured is a part (parts.go). A part sets something up,
// lets sides take turns (side.go), and yields rows of figures and targets
// (report.go). Every page that is measured is compared with what the other
// server shows, or with what there is. Tables of Markdown go to standard
// output, what is going on to standard error; the plot (plot.go) is drawn of them.
//
// docs/benchmarks.md says how to read the figures.
package main
