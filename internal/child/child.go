package child

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Defaults of [Options].
const (
	DefaultReadyWithin = 10 * time.Second
	DefaultStopWithin  = 5 * time.Second
)

// pollEvery is the time between two questions to a server that is starting.
const pollEvery = 5 * time.Millisecond

// Options says what to run and how to know that it is ready.
type Options struct {
	// Name stands in log lines and errors.
	Name string
	// Path is the executable, Args its arguments without the name.
	Path string
	Args []string
	// Dir is the working directory; empty means ours.
	Dir string
	// Confined gives the child a network of its own, with nothing but a loopback
	// interface that is switched off. Linux allows it to root, and to others unless
	// it was told not to; elsewhere Start fails with errors.ErrUnsupported.
	Confined bool
	// Ready returns nil as soon as the process with this pid answers. It is
	// asked again and again, so one call should take a second at the most.
	Ready func(ctx context.Context, pid int) error
	// ReadyWithin bounds the wait for Ready; zero means DefaultReadyWithin.
	ReadyWithin time.Duration
	// StopWithin is the time between SIGTERM and SIGKILL; zero means
	// DefaultStopWithin.
	StopWithin time.Duration
	// Logger receives every line of the child's output at debug level; nil
	// drops them.
	Logger *slog.Logger
}

// Process is a running child. Its methods may be called from any goroutine.
type Process struct {
	options Options
	cmd     *exec.Cmd
	output  *output
	done    chan struct{} // closed when the child has ended and is reaped
	err     error         // why it ended; to be read after done
}

// Start runs a child and returns when it is ready.
//
// It fails when the executable cannot be started, when the child ends before
// it is ready (the error quotes its last lines), when Ready still fails after
// ReadyWithin, and when ctx ends. After a failure nothing is left running. ctx
// bounds the start only; [Process.Stop] ends the child.
func Start(ctx context.Context, options Options) (*Process, error) {
	options.ReadyWithin = cmp.Or(options.ReadyWithin, DefaultReadyWithin)
	options.StopWithin = cmp.Or(options.StopWithin, DefaultStopWithin)
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))

	p := &Process{
		options: options,
		output:  &output{log: options.Logger.With("process", options.Name)},
		done:    make(chan struct{}),
	}
	p.cmd = exec.Command(options.Path, options.Args...)
	p.cmd.Dir = options.Dir
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output // never ours: our stdout carries our own results
	var err error
	if p.cmd.SysProcAttr, err = attributes(options.Confined); err != nil {
		return nil, fmt.Errorf("start %s: %w", options.Name, err)
	}
	p.cmd.WaitDelay = time.Second // a grandchild that keeps the pipes open must not keep us

	if err := p.run(); err != nil {
		return nil, fmt.Errorf("start %s: %w", options.Name, err)
	}
	if err := p.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// run starts the child and the goroutine that waits for it. The goroutine ends
// with the child, so whoever ends the child (Stop) ends the goroutine.
func (p *Process) run() error {
	started := make(chan error)
	go func() {
		// The parent-death signal comes when the *thread* that forked ends, and
		// the runtime ends idle threads: this one is kept while the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()

		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return <-started
}

func (p *Process) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.options.ReadyWithin)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := p.options.Ready(ctx, p.PID())
		select {
		case <-p.done: // before Ready's answer, which another server may have given
			return fmt.Errorf("%s ended before it was ready: %w", p.options.Name, p.Err())
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w (last answer: %w)%s", p.options.Name, ctx.Err(), err, p.output.quote())
		}
	}
}

// PID is the process id of the child.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended, for whatever reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err waits until the child has ended and tells how it did, with the last
// lines of its output. It is never nil.
func (p *Process) Err() error {
	<-p.done
	how := p.err
	if how == nil {
		how = errors.New("exit status 0")
	}
	return fmt.Errorf("%w%s", how, p.output.quote())
}

// Kill ends the child at once (SIGKILL), also one that hangs, and returns when it
// has ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.done
}

// Stop asks the child to end (SIGTERM), kills it after StopWithin, and returns
// when it has ended. Its error says that the child had to be killed. Stopping a
// child that has ended does nothing.
func (p *Process) Stop() error {
	if p.cmd.Process.Signal(syscall.SIGTERM) == nil {
		timer := time.NewTimer(p.options.StopWithin)
		defer timer.Stop()
		select {
		case <-p.done:
			return nil
		case <-timer.C:
		}
	}
	// Here either the time is up, or the child has ended, or the system knows
	// no SIGTERM.
	err := p.cmd.Process.Kill()
	<-p.done
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.options.Name, err)
	}
	if err == nil && runtime.GOOS != "windows" {
		return fmt.Errorf("%s was killed: it did not end within %s of SIGTERM", p.options.Name, p.options.StopWithin)
	}
	return nil
}
