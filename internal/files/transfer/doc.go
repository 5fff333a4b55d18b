// Package transfer imports comments from files and exports them to files, in the format of
// package ndjson. It also imports CSV as package sheet reads it. Files are plain or gzip.
//
// An import is a pipeline of windows, groups of lines that are limited in number and in bytes.
// So a file of any size takes the same memory:
//
//	file ─▶ gzip? ─▶ records ▶ parse, deduplicate ─▶ window ═▶ store.Import
//	        one goroutine reads the next window      │        rejects file
//	        while the caller's writes this one ──────┘        checkpoint
//
// The file's checkpoint moves after each window. An import that ends early, even by kill -9,
// continues from the checkpoint when it is run again. It may repeat a window, which changes
// nothing, because importing is idempotent. Standard input and pipes have no checkpoint: their
// imports start over.
//
// All functions that call the store return an Unavailable error if the store does not answer.
package transfer
