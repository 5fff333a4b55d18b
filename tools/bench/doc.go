// Command bench compares the service with a literal implementation of part 3 of the series
// (package literal), or with a program of another commit: one engine, the same comments, the
// same pages, in the same run.
//
//	bench ── HTTP ──▶ product-comments serve ──┐
//	      └─ HTTP ──▶ literal ─────────────────┴─▶ engine
//
// The servers get the same requests, and must return the same comments (units.go). The
// requests are repeated under load, in turns (load.go). Markdown tables go to standard output,
// progress to standard error.
//
// docs/benchmarks.md explains the figures.
package main
