package keeper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// handOverWithin bounds what one caller can hold of the keeper.
const handOverWithin = 2 * time.Second

// keep runs the engine until it ends, or until we are told to end it. The
// arguments are the socket's folder, the engine's port, its program and the
// program's arguments.
func keep(args []string) int {
	if len(args) < 3 {
		return fail(fmt.Errorf("%s is not for people", Argument))
	}
	folder, port, program := args[0], args[1], args[2:]
	syscall.Umask(0o077) // the socket and the engine's files are for us alone
	if err := loopback(); err != nil {
		fail(err)
		return Denied
	}
	listener, err := Listen(folder)
	if err != nil {
		return fail(err)
	}
	defer listener.Close()

	// The engine is told to die when the thread that starts it does.
	runtime.LockOSThread()
	engine := exec.Command(program[0], program[1:]...)
	engine.Stdout, engine.Stderr = os.Stdout, os.Stderr
	engine.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	if err := engine.Start(); err != nil {
		return fail(err)
	}
	go func() { // until the process ends
		<-told
		_ = engine.Process.Signal(syscall.SIGTERM)
	}()
	go handOver(listener, net.JoinHostPort("127.0.0.1", port), engine.Process.Pid)
	if err := engine.Wait(); err != nil {
		return fail(err)
	}
	return 0
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "the engine's keeper:", err)
	return 1
}

// loopback switches on the one interface of a new network.
func loopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("switch on the loopback interface: %w", err)
	}
	return nil
}

// Listen makes the socket in a folder anew.
func Listen(folder string) (*net.UnixListener, error) {
	path, done, err := short(folder)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		listener.SetUnlinkOnClose(false) // the short path is gone by then
	}
	return listener, err
}

// short returns a path to the socket that fits into an address, which takes some
// 100 bytes, however long the folder's is.
func short(folder string) (path string, done func(), err error) {
	open, err := os.Open(folder)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", open.Fd(), Socket), func() { _ = open.Close() }, nil
}

// handOver gives everybody who asks a connection to the engine, and tells its pid.
func handOver(listener *net.UnixListener, engine string, pid int) {
	for {
		caller, err := listener.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond) // no descriptors left, say
			continue
		}
		go func() {
			defer caller.Close()
			_ = caller.SetDeadline(time.Now().Add(handOverWithin))
			conn, err := net.DialTimeout("tcp", engine, handOverWithin)
			if err != nil {
				return // the caller sees that nothing comes
			}
			defer conn.Close()
			raw, err := conn.(*net.TCPConn).SyscallConn()
			if err != nil {
				return
			}
			_ = raw.Control(func(fd uintptr) {
				_, _, _ = caller.WriteMsgUnix(binary.BigEndian.AppendUint32(nil, uint32(pid)), unix.UnixRights(int(fd)), nil)
			})
		}()
	}
}
