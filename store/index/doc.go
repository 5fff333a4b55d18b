// Package index is the engine of what is derived from comments. An index says what it has of a
// comment, as pure functions; the engine does all the rest:
//
//	record of the stream ─▶ Change ─▶ Effect ─▶ Flush: writes, in the checkpoint's transaction
//	scan of the table    ─▶ package verify: entries and sums beside their comments
//	rebuild              ─▶ comments touched in a new generation, Obsolete items removed
//	new or changed index ─▶ Backfill: comments touched page by page, then compared with their entries
//
// # Kinds
//
//	interface    an index has                                      which
//	Entries      items of single comments, which the projector     powerset, columns
//	             writes
//	Entries      items that are written with their comment, and    authors, moderation's queue
//	             only verified
//	Sums         items that changes add to and take away from      statistics, summaries, moderation's
//	                                                               counts, pages
//	Watcher      writes of its own that follow changes             purchases, columns, orphans
//
// Entries and sums are flushed into the transaction that moves the checkpoint, so that each change
// counts exactly once; a rebuild makes them again in a new generation. The other interfaces are for
// the few that need them.
//
// A page of any order needs more than a sum: package pages keeps a counted tree. Its Sum collects
// what becomes of the comments of a product, and Apply changes the tree, with the statistics whose
// item notes it.
//
// Package projector brings the changes; an index is registered in package store.
package index
