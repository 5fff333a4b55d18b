// Package own lets a process count its own writes before the projector has.
//
//	a write ─▶ Writes.Try: names it, and remembers what it changes
//	           Writes.Acknowledge: it took effect
//	record  ─▶ the projector adds the name to the Set of each item whose counts it changes
//	reader  ◀─ Writes.Uncounted: what no name in the item's Set accounts for
//
// A Set lies in the same item as the counts, so one read tells both, however old
// it is: a write is either in the counts and in the Set, or in neither. Package
// own is pure; docs/statistics.md says what holds.
package own

// window is how far apart the numbers of a series may be: a process remembers so
// many of its last writes to a product, and a Set tells so many of them apart.
const window = 512
