package child

import "syscall"

// attributes makes the kernel kill the child when this process ends. The signal is SIGKILL,
// because a child may be slow to handle SIGTERM, and the next owner of the data must not wait for
// it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
