// Package index is the engine of what is derived from comments: each index says what it
// has of a comment, as a pure function where it can, and shares all the rest.
//
//	record of the stream ─▶ Change ─▶ Index.Flush ─▶ writes, in the checkpoint's transaction
//	scan of the table    ─▶ Verifier: observe, candidates, diff
//	rebuild              ─▶ comments touched in a new generation, Obsolete entries removed
//	new or changed index ─▶ Backfill: comments touched page by page, then compared with their entries
//
// # Kinds
//
//	kind                      what it is                                    which
//	projected entries         Layout: entries of a comment, a pure          columns, powerset
//	                          function; Fold and Moves say what changes
//	projected aggregates      Aggregate: sums that changes add to and       statistics, summaries,
//	                          take from                                     moderation's counts
//	derived from an aggregate written with it, or a moment later            statistics' places in the leaderboard
//	written with the comment  in the comment's own transaction; there       authors, moderation's queue;
//	                          is nothing to flush                           orders' marks, with orders
//	watchers                  other items change comments                   purchases, packing
//
// Projected entries and aggregates are flushed into the transaction that moves the
// checkpoint, so that each change counts exactly once; a rebuild makes them again in a new
// generation. What is written with the comment is right by itself. All of them are
// verified in the same way.
//
// Package projector brings the changes; an index is registered with it in package store.
package index
