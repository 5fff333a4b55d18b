// Command bench measures the service beside part 3 of the series taken at its
// word (package literal): one engine, the same comments, the same pages, in the
// same run.
//
//	bench ── HTTP ──▶ product-comments serve ──▶ packed table ─┐
//	      ├─ HTTP ──▶ literal ─────────────────▶ plain table ──┼─▶ engine
//	      └─ package store ────────────────────▶ both ─────────┘
//
// A set of comments is written to two tables: packed, as our server writes
// them, and as plain attributes, which is all that the literal server can read.
// A projector counts both and ends. Then follow the parts:
//
//	units       read units of the first pages of every filter by ratings
//	pages       pages a second, at the start of long lists and deep in them
//	hot         one page that everybody asks for
//	texts       what packing saves, by the length of texts
//	import      an import of a file beside plain writes
//	projecting  how fast comments are counted
//	forms       products with a power set and without one
//
// Every page that is measured is compared with what the other server shows, or
// with what there is. Tables of Markdown go to standard output, what is going
// on to standard error.
//
// docs/benchmarks.md says how to read the figures.
package main
