package admission

import (
	"cmp"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
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
func DefaultMemory() int64 {
	machine, _ := memlimit.FromSystem() // 0 if it is unknown
	group, _ := memlimit.FromCgroup()   // 0 if it has no limit
	return share(machine, group)
}

func share(machine, group uint64) int64 {
	if group > 0 && (machine == 0 || group < machine) {
		return max(LeastMemory, int64(group/4*3))
	}
	return max(LeastMemory, int64(cmp.Or(machine, unknownMemory)/4))
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

// Apply limits the memory of Go's runtime, which collects garbage more often when the limit is near.
// percent is the collector's target otherwise. The environment wins.
func (m Memory) Apply(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(m.Total / 10 * 9) // the limit does not count C stacks, files and the kernel's overhead
	}
}
