package gate

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

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
