//go:build unix && !linux

package child

import "syscall"

// attributes gives the child a separate process group. These systems have no parent-death signal,
// so a child outlives a parent that is killed.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
