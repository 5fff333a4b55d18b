//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// processor returns the processor time of this process.
func processor() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
