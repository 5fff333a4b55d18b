package double

import (
	"container/heap"
	"time"
)

// lagging contains the changes that a view does not show yet.
type lagging struct {
	lag     time.Duration
	pending changes
	due     map[string]time.Time // time of the last pending change, by item
}

// pendingChange is a change of an item that a view will show later.
type pendingChange struct {
	at   time.Time
	n    uint64 // orders changes with equal times
	id   string
	item item
	size int
}

// changes is a heap by time.
type changes []pendingChange

func (c changes) Len() int { return len(c) }
func (c changes) Less(i, j int) bool {
	if c[i].at.Equal(c[j].at) {
		return c[i].n < c[j].n
	}
	return c[i].at.Before(c[j].at)
}
func (c changes) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *changes) Push(x any)   { *c = append(*c, x.(pendingChange)) }
func (c *changes) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}

// later schedules a change of an item, after the earlier changes of the same item.
func (v *view) later(made time.Time, n uint64, draw hash, id string, it item, size int) {
	if v.lag == 0 {
		v.put(id, it, size)
		return
	}
	at := made.Add(time.Duration(draw.text(v.Name).below(int64(v.lag))))
	if due, ok := v.due[id]; ok && due.After(at) {
		at = due
	}
	v.due[id] = at
	heap.Push(&v.pending, pendingChange{at, n, id, it, size})
}

// concerns reports whether a change to the given item affects the view. Most items are in no index.
func (v *view) concerns(id string, it item) bool {
	if _, _, ok := v.Key.Of(it); ok && it != nil {
		return true
	}
	_, had := v.positions[id]
	_, has := v.due[id]
	return had || has
}

// settle applies the changes that are due.
func (v *view) settle(now time.Time) {
	for len(v.pending) > 0 && !v.pending[0].at.After(now) {
		c := heap.Pop(&v.pending).(pendingChange)
		v.put(c.id, c.item, c.size)
		if v.due[c.id].Equal(c.at) {
			delete(v.due, c.id)
		}
	}
}
