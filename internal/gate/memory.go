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

// Memory is the division of a process's memory.
type Memory struct {
	Total   int64 // the limit of the process in bytes
	Answers int64 // bytes of it for answers under way
	Bodies  int64 // bytes of it for request bodies
}

const (
	// LeastMemory is the minimum of a process with empty caches and a low load, in bytes.
	LeastMemory = 128 << 20
	// unknownMemory is assumed if the system does not report its memory.
	unknownMemory = 4 << 30
)

// DefaultMemory returns three quarters of a container's memory, or a quarter of a machine's, which
// usually runs other programs.
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

// answersShare is the part of the memory for answers under way: an eighth, because an answer takes
// about four times its size while it is built (items, decoded comments, JSON, and compressed
// JSON), and garbage takes as much again.
const answersShare = 8

// bodiesShare is the part of the memory for request bodies. It is separate from that for answers,
// so that slow senders do not block reads.
const bodiesShare = 32

// Divide divides the memory without the caches.
func Divide(total, caches int64) Memory {
	left := max(total-caches, LeastMemory)
	return Memory{Total: total, Answers: left / answersShare, Bodies: left / bodiesShare}
}

// Apply sets the limit of the garbage collector, unless the environment sets it. percent is the
// collector's target while little memory is alive: then at most 64 MB of garbage collect, or as
// much as is alive.
func (m Memory) Apply(percent int) {
	if os.Getenv("GOGC") == "" {
		pacer{most: percent}.pace()
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(m.Total / 10 * 9) // the limit does not count C stacks, files and the kernel's overhead
	}
}

const (
	glance = 500 * time.Millisecond // interval of GiveBack's checks
	few    = 10                     // entries between two checks that do not count as load
	enough = 64 << 20               // bytes that are worth returning
)

// GiveBack returns memory to the system when a load has ended, until the context ends. The
// collector does that too, but only after minutes. room is the room of all requests that need
// memory.
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
		if worked && !busy && unusedBytes() > enough {
			debug.FreeOSMemory()
		}
		worked = busy
	}
}

// unusedBytes estimates the unused memory of the process in bytes: garbage, and free memory that
// was not returned.
func unusedBytes() int64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	free, objects, unused, live := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64(),
		samples[3].Value.Uint64()
	return int64(free+objects+unused) - int64(live)
}

// pacer adjusts the garbage collector's target after every collection. A high target saves work
// while little memory is alive, but would multiply the size of a process with full caches and
// queues.
type pacer struct {
	most int // the target while little memory is alive, in percent
	set  int // the current target
}

const (
	// garbage is the maximum of garbage in bytes, unless more memory is alive.
	garbage = 64 << 20
	// leastPercent is the runtime's default target.
	leastPercent = 100
)

// pace sets the target for the memory that is alive, and runs again after the next collection.
func (p pacer) pace() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := max(min(p.most, int(garbage*100/max(1, live[0].Value.Uint64()))), min(p.most, leastPercent))
	if percent != p.set {
		debug.SetGCPercent(percent)
		p.set = percent
	}
	// The next collection finds the unreachable object. It must be too large for the allocator to
	// combine it with other objects.
	runtime.AddCleanup(new([64]byte), pacer.pace, p)
}

// SystemMemory returns the bytes of memory that the machine has and that the process's control
// group allows (version 2 or 1), if that is less. A value is 0 if it is unknown, as outside Linux.
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

// groupLimit returns the least limit of the process's control group and its parents; 0 if there is
// none.
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
		// In a container the path may be the host's, where the group's own files are at the root
		// of the mount; the loop ends there.
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
	if least > math.MaxInt64/2 { // "max", and the number for it in version 1
		return 0
	}
	return least
}
