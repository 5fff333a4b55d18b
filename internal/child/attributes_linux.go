package child

import (
	"os"
	"syscall"
)

// attributes ties the child's life to ours. SIGKILL, since a child may take
// its time over SIGTERM, and whoever takes over our data must not wait for it.
// One that is confined has a network of its own, and for the right to that, if we
// are not root, a user namespace in which it is root by name.
func attributes(confined bool) (*syscall.SysProcAttr, error) {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if !confined {
		return a, nil
	}
	a.Cloneflags = syscall.CLONE_NEWNET
	if os.Geteuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return a, nil
}
