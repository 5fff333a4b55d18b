//go:build unix && !aix && !solaris

package engine

import (
	"errors"
	"os"
	"syscall"
)

// lockFile tries to take the exclusive lock of an open file, without waiting.
// The lock belongs to the open file: closing it releases the lock, and children
// do not inherit it, since Go opens files close-on-exec.
func lockFile(file *os.File) (held bool, err error) {
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
