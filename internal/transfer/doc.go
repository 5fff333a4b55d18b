// Package transfer moves comments between files and the store: Import and
// Export. The files have the format of package ndjson, or are CSV as package sheet
// reads it, plain or gzip.
//
// An import is a pipeline of windows, groups of lines that are bounded in
// number and in bytes. So any file takes the same little memory:
//
//	file ─▶ gzip? ─▶ records ▶ parse, deduplicate ─▶ window ═▶ store.Import
//	        one goroutine reads the next window      │        rejects file
//	        while the caller's writes this one ──────┘        checkpoint
//
// After each window the file's checkpoint says how far it was written. An
// import that ends early, even by kill -9, continues from there when it is run
// again; the windows that it repeats change nothing, since importing is
// idempotent. Standard input and pipes have no checkpoint: run them again from
// the start.
package transfer
