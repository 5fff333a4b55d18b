package gate

import (
	"context"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// Memory is how the memory of a process is divided.
type Memory struct {
	Total   int64 // bytes that the process should take at most
	Answers int64 // bytes of them that answers under way may have
	Bodies  int64 // bytes of them that bodies of requests may have
}

const (
	// LeastMemory is what a process needs with its caches empty and little to do,
	// in bytes.
	LeastMemory = 128 << 20
	// unknownMemory is assumed of a machine that does not tell.
	unknownMemory = 4 << 30
)

// DefaultMemory is three quarters of what a container may have, or a quarter of a
// machine, which usually has other things to do.
func DefaultMemory(machine, group int64) int64 {
	switch {
	case group > 0:
		return max(LeastMemory, group/4*3)
	case machine > 0:
		return max(LeastMemory, machine/4)
	default:
		return unknownMemory / 4
	}
}

// answersShare is the part of the memory that answers under way may have: an eighth,
// because while it is made an answer takes some four times its size (what was read,
// what that was decoded to, its JSON, and the same compressed), and as much is
// garbage.
const answersShare = 8

// bodiesShare is the part of the memory that bodies may have. It is apart from that of
// answers, so that clients who send and do not end keep no page from anybody.
const bodiesShare = 32

// Divide divides the rest of the memory besides the caches.
func Divide(total, caches int64) Memory {
	left := max(total-caches, LeastMemory)
	return Memory{Total: total, Answers: left / answersShare, Bodies: left / bodiesShare}
}

// Apply makes the garbage collector keep to the memory, unless the environment says
// otherwise. percent is the collector's target while little is alive: 64 MB of garbage
// come together at most, or as much as is alive.
func (m Memory) Apply(percent int) {
	if os.Getenv("GOGC") == "" {
		pacer{most: percent}.pace()
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(m.Total / 10 * 9) // which does not count stacks of C, files and what the kernel adds
	}
}

const (
	glance = 500 * time.Millisecond // between looks at how much is going on
	few    = 10                     // entries between two looks that are no load
	enough = 64 << 20               // bytes that are worth giving back
)

// GiveBack gives memory back to the system when a load is over, until the context
// ends. The collector does so by itself, but only in minutes. The room is that of
// everything that needs memory.
func GiveBack(ctx context.Context, room *Room) {
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	worked, entered := false, int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := room.Occupancy()
		busy := now.Inside > 0 || now.Entered-entered > few
		entered = now.Entered
		if worked && !busy && idle() > enough {
			debug.FreeOSMemory()
		}
		worked = busy
	}
}

// idle estimates how many bytes the process holds that nothing needs: garbage, and
// what is free and was not given back.
func idle() int64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	free, objects, unused, live := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64(), samples[3].Value.Uint64()
	return int64(free+objects+unused) - int64(live)
}

// pacer adjusts the garbage collector's target after every collection. A target that
// saves much work while little is alive would make a process whose caches and queues
// are full several times as large as they are.
type pacer struct {
	most int // the target while little is alive, in percent of it
	set  int // the target now
}

const (
	// garbage is how many bytes of it may come together at most, unless more are
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

// SystemMemory tells how many bytes of memory this process may use: what its control
// group allows (version 2 or 1), if that is less than the machine has. Both are 0
// where they are not known, as outside Linux.
func SystemMemory() (machine, group int64) { return systemMemory("/") }

func systemMemory(root string) (machine, group int64) {
	machine = meminfo(root + "proc/meminfo")
	group = groupLimit(root)
	if group > 0 && machine > 0 && group >= machine {
		group = 0
	}
	return machine, group
}

func meminfo(file string) int64 {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// groupLimit returns the least limit of the process's control group and of those
// that it is in; 0 if there is none.
func groupLimit(root string) int64 {
	text, _ := os.ReadFile(root + "proc/self/cgroup")
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(text)) {
		// hierarchy:controllers:path; version 2 has hierarchy 0 and no controllers
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		var mount, file string
		switch {
		case parts[0] == "0" && parts[1] == "":
			mount, file = root+"sys/fs/cgroup", "memory.max"
		case parts[1] == "memory":
			mount, file = root+"sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// In a container the path may be that outside of it, where the group's own
		// files are at the mount's root, which the way up ends with.
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			if text, err := os.ReadFile(mount + at + "/" + file); err == nil {
				if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
					least = min(least, limit)
				}
			}
			if at == "/" {
				break
			}
		}
	}
	if least > math.MaxInt64/2 { // "max", and version 1's number for it
		return 0
	}
	return least
}
