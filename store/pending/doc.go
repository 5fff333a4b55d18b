// Package pending is the log of a process's writes of comments that are acknowledged or
// under way, and not yet projected: so what a process writes shows at once in what it reads.
//
//	write  ─▶ Begin, Try: names the write, and remembers what it changes
//	          Acknowledge: it took effect
//	record ─▶ the projector adds the name to the names.Set of each item whose counts it changes
//	counts ◀─ Unprojected: the writes that the Set of an item does not have
//	lists  ◀─ Overlay: how the writes left comments, for lists that are projected
//	       ─▶ Due, Projected: which writes are projected, as the Set of the product tells
//
// A Set is in the same item as the counts, so one read returns both, however old it is: a write
// is either in the counts and in the Set, or in neither. Lists that DynamoDB's own indexes keep
// follow every write by themselves and have no overlay: it would show what another process has
// deleted.
//
// The log does no I/O, and its memory is bounded: a write that it forgets shows only after it
// is projected. docs/design.md lists the guarantees.
package pending
