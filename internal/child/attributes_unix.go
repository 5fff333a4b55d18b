//go:build unix && !linux

package child

import (
	"errors"
	"syscall"
)

// attributes gives the child a process group of its own. These systems have no
// parent-death signal: a child outlives a parent that is killed.
func attributes(confined bool) (*syscall.SysProcAttr, error) {
	if confined {
		return nil, errors.ErrUnsupported
	}
	return &syscall.SysProcAttr{Setpgid: true}, nil
}
