// Package pending is the log of a process's pending writes: writes of comments that are
// acknowledged or under way, and not yet projected. With it, a process sees its own writes at once.
//
//	write  ─▶ Begin, Try: name the write, and remember its change
//	          Acknowledge: the write took effect
//	record ─▶ the projector adds the name to the names.Set of each item with changed counts
//	counts ◀─ Unprojected: the writes that the Set of an item does not have
//	lists  ◀─ Overlay: the comments after the writes, for projected lists
//	       ─▶ Due, Projected: which writes are projected, according to the Set of the product
//
// A Set is in the same item as the counts. So even an old read is consistent: a write is either
// both in the counts and in the Set, or in neither. Lists that read DynamoDB's own indexes have no
// overlay: DynamoDB updates them by itself, and an overlay would show comments that another process
// has deleted.
//
// The log does no I/O. Its memory is bounded: a write that it drops becomes visible when it is
// projected. docs/design.md lists the guarantees.
package pending
