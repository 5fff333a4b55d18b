package child

import "syscall"

// attributes ties the child's life to ours. SIGKILL, since a child may take its
// time over SIGTERM, and the next owner of our data must not wait for it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
