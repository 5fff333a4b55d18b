//go:build unix

package engine

import "syscall"

const (
	errNoSpace = syscall.ENOSPC
	errInvalid = syscall.EINVAL
)
