//go:build unix && !linux

package child

import "syscall"

// attributes give the child a process group of its own. A child outlives a
// parent that is killed: these systems have no parent-death signal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
