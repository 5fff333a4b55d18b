package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"product-comments/internal/child"
)

// Bounds of starting and restarting.
const (
	keepPortFor  = time.Second     // a new owner waits for the last one's port
	takeOverPort = 5 * time.Second // a follower waits for the port that it must have
	portTries    = 5               // ports that others may snatch from us at the start
	firstPause   = 20 * time.Millisecond
	longestPause = 5 * time.Second
	steadyAfter  = 10 * time.Second // a child that lived this long starts over with firstPause
)

// run owns everything that an open Engine does in the background. It ends when
// ctx does, and leaves nothing behind.
func (e *Engine) run(ctx context.Context, held *lock, process *child.Process) {
	defer close(e.done)
	if held == nil {
		if held = e.awaitLock(ctx); held == nil {
			return
		}
		e.log.Info("the engine's owner has ended: taking over", "endpoint", e.Endpoint())
	}
	stopped := e.supervise(ctx, held, process)
	// The lock goes last: whoever gets it finds neither a child nor a record.
	e.err = errors.Join(stopped, removeRecord(e.dir), held.release())
}

// awaitLock polls for the lock, since a blocking flock cannot be cancelled. It
// returns nil when ctx ends first.
func (e *Engine) awaitLock(ctx context.Context) *lock {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	said := false // each trouble once: it would be said 20 times a second
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		held, err := tryLock(e.dir)
		if held != nil {
			return held
		}
		if err == nil {
			err = e.moved()
		}
		if err != nil && !said {
			e.log.Error("cannot follow the engine", "error", err)
		}
		said = err != nil
	}
}

// moved returns an error when a new owner runs the engine on another port than
// ours, because ours was in use when it started.
func (e *Engine) moved() error {
	now, err := readRecord(e.dir)
	if err != nil || now.Port == e.port || now.Confined {
		return nil // no record: the owner is just starting or ending
	}
	return fmt.Errorf("the engine has moved from %s to %s: restart this process", e.Endpoint(), now.endpoint())
}

// supervise keeps a child running on our port until ctx ends, then stops it.
// A nil process is started first.
func (e *Engine) supervise(ctx context.Context, held *lock, process *child.Process) error {
	pause := firstPause
	for {
		started := time.Now()
		var err error
		if process == nil {
			process, err = e.startAgain(ctx, held)
		}
		if process != nil {
			if err = e.watch(ctx, process); ctx.Err() != nil {
				return e.stop(process)
			}
			process = nil
		}
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(started) > steadyAfter {
			pause = firstPause
		}
		e.log.Error("the engine is down and will be restarted", "endpoint", e.Endpoint(), "pause", pause, "error", err)
		wait(ctx, pause)
		pause = min(2*pause, longestPause)
	}
}

// startFirst starts the child of a new owner: on the last owner's port if it
// is free, so that its followers go on, else on any free port.
func (e *Engine) startFirst(ctx context.Context, held *lock) (*child.Process, error) {
	var tries []int
	if port := held.port(); port != 0 && e.awaitPort(ctx, port, keepPortFor) {
		tries = append(tries, port)
	}
	for len(tries) < portTries {
		port, err := child.FreePort()
		if err != nil {
			return nil, err
		}
		tries = append(tries, port)
	}
	var err error
	for _, port := range tries {
		var process *child.Process
		if process, err = e.start(ctx, held, port); err == nil {
			e.port = port
			return process, nil
		}
		if child.PortFree(port) {
			break // the port was not the reason
		}
	}
	return nil, err
}

// startAgain starts a child on the port that our clients already use.
func (e *Engine) startAgain(ctx context.Context, held *lock) (*child.Process, error) {
	if !e.awaitPort(ctx, e.port, takeOverPort) {
		return nil, fmt.Errorf("port %d is in use", e.port)
	}
	return e.start(ctx, held, e.port)
}

// start runs the child on the port and tells followers.
func (e *Engine) start(ctx context.Context, held *lock, port int) (*child.Process, error) {
	file := filepath.Join(e.dir, "comments.db")
	if err := errors.Join(lay(file), keepPrivate(file)); err != nil {
		return nil, err
	}
	process, now, err := e.startChild(ctx, file, port)
	if err != nil {
		return nil, err
	}
	e.current.Store(&now)
	if err := errors.Join(held.setPort(port), writeRecord(e.dir, now)); err != nil {
		return nil, errors.Join(err, process.Stop())
	}
	return process, nil
}

// startChild runs the engine, confined if that is wanted and works.
func (e *Engine) startChild(ctx context.Context, file string, port int) (*child.Process, record, error) {
	if e.confine {
		process, now, err := e.startConfined(ctx, file, port)
		if !denied(err) {
			return process, now, err
		}
		e.confine = false
		e.log.Warn("the embedded engine cannot be confined here: whoever has an account on this machine can read and write the comments",
			"reason", err, "help", "see docs/faults.md in the project")
	}
	now := record{Port: port, Host: e.host()}
	process, err := child.Start(ctx, child.Options{
		Name: "dynoxide",
		Path: e.binary,
		Args: []string{"--host=" + cmp.Or(now.Host, "127.0.0.1"), fmt.Sprintf("--port=%d", port), "--db-path=" + file},
		Ready: func(ctx context.Context, pid int) error {
			now.PID = pid
			return now.check(ctx, e.dir)
		},
		Logger: e.log,
	})
	return process, now, err
}

// awaitPort waits until the port is free: a killed owner's child may still be
// ending. All are in a network of one's own.
func (e *Engine) awaitPort(ctx context.Context, port int, atMost time.Duration) bool {
	if e.confine {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for !child.PortFree(port) {
		if ctx.Err() != nil {
			return false
		}
		wait(ctx, 10*time.Millisecond)
	}
	return true
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
