//go:build unix && !linux

package child

import "syscall"

// attributes gives the child a process group of its own. These systems have no
// parent-death signal: a child outlives a parent that is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
