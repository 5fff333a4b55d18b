package gate

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// pacer adjusts the garbage collector's target after every collection. A target that
// saves much work while little is alive would make a process whose caches and queues
// are full several times as large as they are.
type pacer struct {
	most int // the target while little is alive, in percent of it
	set  int // the target now
}

const (
	// garbage is how many bytes of it may come together at the most, unless more are
	// alive.
	garbage = 64 << 20
	// leastPercent is the runtime's own target.
	leastPercent = 100
)

// pace sets the target for what is alive now, and sees to it that it is set again after
// the next collection.
func (p pacer) pace() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := max(min(p.most, int(garbage*100/max(1, live[0].Value.Uint64()))), min(p.most, leastPercent))
	if percent != p.set {
		debug.SetGCPercent(percent)
		p.set = percent
	}
	// What nothing refers to is found by the next collection. It must be too large to
	// share its memory with something else.
	runtime.AddCleanup(new([64]byte), pacer.pace, p)
}
