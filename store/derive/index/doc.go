// Package index is the engine of the derived data of comments. An index computes its entries and
// sums with pure functions; the engine reads, writes, rebuilds, backfills and verifies them:
//
//	record of the stream ─▶ Change ─▶ Effect ─▶ Flush: writes, in the checkpoint's transaction
//	scan of the table    ─▶ package verify: entries and sums compared with comments
//	rebuild              ─▶ comments touched in a new generation, Obsolete items removed
//	new or changed index ─▶ Backfill: comments touched page by page, then compared with their entries
//
// # Kinds
//
//	interface    the index has                                     examples
//	Entries      items of single comments, which the projector     powerset, attributeorder
//	             writes
//	Entries      items that are written with their comment, and    authors, cases
//	             only verified
//	Sums         items that changes add to and subtract from       counts, attributestats, cases,
//	                                                               pages
//	Watcher      writes of its own that follow changes             purchases, attributeorder,
//	                                                               orphans
//
// Entries and sums are flushed into the transaction that moves the checkpoint, so each change
// counts exactly once. A rebuild writes them again in a new generation. The other interfaces serve
// single indexes.
//
// Page numbers need more than a sum: package pages keeps a counted tree. Its Sum collects the
// changes of the comments of a product, and its Apply changes the tree in the transaction that
// writes the product's statistics.
//
// Package projector calls the engine with changes of the stream; package store registers the
// indexes. All methods that call the store return an Unavailable error if the store does not answer.
package index
