package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"time"

	"product-comments/internal/child"
	"product-comments/internal/engine/keeper"
)

// startConfined runs the engine in a network of its own, with a keeper.
func (e *Engine) startConfined(ctx context.Context, file string, port int) (*child.Process, record, error) {
	now := record{Port: port, Confined: true}
	process, err := child.Start(ctx, child.Options{
		Name:     "dynoxide",
		Path:     "/proc/self/exe", // this program, also if it was replaced on the disk
		Args:     []string{keeper.Argument, e.dir, fmt.Sprint(port), e.binary, "--host=127.0.0.1", fmt.Sprintf("--port=%d", port), "--db-path=" + file},
		Confined: true,
		Ready: func(ctx context.Context, _ int) error {
			conn, pid, err := keeper.Dial(ctx, e.dir)
			if err != nil {
				return err
			}
			_ = conn.Close()
			now.PID = pid
			return now.ping(ctx, e.dir)
		},
		Logger: e.log,
	})
	return process, now, err
}

// denied tells whether the system does not let us confine a process.
func denied(err error) bool {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode() == keeper.Denied
	}
	// What clone(2) and unshare(2) fail with where namespaces are forbidden, used
	// up or not there.
	for _, reason := range []error{errors.ErrUnsupported, os.ErrPermission, errNoSpace, errInvalid} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// host is the address that an engine listens on which is not confined though it
// should be: a random one of the loopback network where it has more than one
// address, so that a web page would have to look for it among some ten thousand
// million. Otherwise it is empty.
func (e *Engine) host() string {
	if now := e.current.Load(); now != nil {
		return now.Host // that others know
	}
	if !e.wanted || runtime.GOOS != "linux" {
		return ""
	}
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

// keepPrivate makes the engine's files ours alone, whatever was there before.
// Those that SQLite adds have the rights of the first.
func keepPrivate(file string) error {
	made, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := made.Close(); err != nil {
		return err
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("keep others from the data: %w", err)
		}
	}
	return nil
}

// endsWithin is how long a killed engine may take to be gone.
const endsWithin = 2 * time.Second

// stop ends the engine, and waits for it also if only its keeper had to be killed.
func (e *Engine) stop(process *child.Process) error {
	err := process.Stop()
	e.awaitEnd()
	return err
}

// awaitEnd waits until the engine's own process has ended, which is its keeper's
// child and not ours.
func (e *Engine) awaitEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), endsWithin)
	defer cancel()
	for {
		_, lives, known := child.Worked(e.current.Load().PID)
		if !lives || !known || ctx.Err() != nil {
			return
		}
		wait(ctx, 5*time.Millisecond)
	}
}
