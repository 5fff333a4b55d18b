// Command bench measures the service beside part 3 of the series taken at its
// word (package literal), or besides a program of another commit: one engine, the
// same comments, the same pages, in the same run.
//
//	bench ── HTTP ──▶ product-comments serve ──▶ packed table ─┐
//	      └─ HTTP ──▶ literal ─────────────────▶ plain table ──┴─▶ engine
//
// The servers are asked for the same pages, and must show the same (units.go).
// What they answer is asked for again under load, in turns (load.go). Tables of
// Markdown go to standard output, progress to standard error.
//
// docs/benchmarks.md says how to read the figures.
package main
