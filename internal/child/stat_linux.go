package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Worked returns how long a process has been on a processor, in ticks of the
// system, and whether it is there at all: one that has ended, but was not asked
// after by its parent, is not. Known is false where the system does not tell.
func Worked(pid int) (ticks int64, lives, known bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, !os.IsNotExist(err), os.IsNotExist(err)
	}
	// The name in parentheses may hold anything; after it come the state, and as
	// the 12th and 13th field the time in user and in system mode: proc(5).
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, true, false
	}
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, true, false
		}
		ticks += n
	}
	return ticks, !bytes.ContainsAny(fields[0], "ZX"), true
}
