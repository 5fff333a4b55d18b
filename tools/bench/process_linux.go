package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// peakMemory returns the most bytes of memory that a running process had, 0 if
// it has ended. (What wait returns would be ours if we are larger: a process
// that we start shares our memory until it runs its program.)
func peakMemory(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	rest, _, _ = strings.Cut(rest, "kB")
	kilobytes, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
	return kilobytes << 10
}

// tick is the unit of /proc/PID/stat, which Linux fixes for programs.
const tick = 10 * time.Millisecond

// processorTime returns what a running process used so far, 0 if it has ended.
func processorTime(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name, in parentheses, may hold spaces. After it the state is field 3.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}
