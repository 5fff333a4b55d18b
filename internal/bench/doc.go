// Command bench measures the service beside part 3 of the series taken at its
// word (package literal): one engine, one table, the same pages, in the same
// run.
//
//	bench ── HTTP ──▶ product-comments serve ──┐
//	      └─ HTTP ──▶ literal ─────────────────┴──▶ engine
//
// It loads one product with generated comments, walks through each list with
// both servers in step to find the deep page and to see that they agree, then
// lets them take turns. At last it compares an import with plain writes. The
// table goes to standard output, what is going on to standard error.
//
// docs/benchmarks.md says how to read the figures.
package main
