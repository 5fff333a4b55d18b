package child

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options configure a child and its readiness check.
type Options struct {
	// Path is the executable.
	Path string
	Args []string
	// Dir is the working directory; empty for the parent's.
	Dir string
	// Ready returns nil when the child answers. It is called repeatedly, so a call should take a
	// second at most.
	Ready func(context.Context) error
	// StopWithin is the time between SIGTERM and SIGKILL; 0 is 5 seconds.
	StopWithin time.Duration
	// Logger receives the child's output at debug level; nil discards it.
	Logger *slog.Logger
}

// Process is a running child. It is safe for concurrent use.
type Process struct {
	options Options
	cmd     *exec.Cmd
	output  *output
	done    chan struct{} // closed when the child has ended and was reaped
	err     error         // the reason of the end; valid after done
}

// Start runs a child and returns when it is ready.
//
// It returns an error if the executable cannot be started, if the child ends before it is ready
// (the error quotes its last lines), if Ready still fails after a minute, or if ctx ends. After an
// error no child is running. ctx limits the start only; [Process.Stop] ends the child.
func Start(ctx context.Context, options Options) (*Process, error) {
	options.StopWithin = cmp.Or(options.StopWithin, 5*time.Second)
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))

	p := &Process{
		options: options,
		output:  &output{log: options.Logger.With("process", filepath.Base(options.Path))},
		done:    make(chan struct{}),
	}
	p.cmd = exec.Command(options.Path, options.Args...)
	p.cmd.Dir = options.Dir
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output // never the parent's stdout, which has the parent's results
	p.cmd.SysProcAttr = attributes()
	p.cmd.WaitDelay = time.Second // a grandchild that keeps the pipes open must not block Wait

	if err := p.run(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name(), err)
	}
	if err := p.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// run starts the child and the goroutine that waits for it. The goroutine ends with the child, so
// stopping the child ends the goroutine.
func (p *Process) run() error {
	started := make(chan error)
	go func() {
		// The kernel sends the parent-death signal when the thread that forked ends, and the
		// runtime ends idle threads. Locking keeps this thread alive until the child ends.
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
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := p.options.Ready(ctx)
		select {
		case <-p.done: // checked before Ready's answer, which may be another server's
			return fmt.Errorf("%s exited before it was ready: %w", p.name(), p.Err())
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w (last answer: %w)%s", p.name(), ctx.Err(), err, p.output.quote())
		}
	}
}

func (p *Process) name() string { return filepath.Base(p.options.Path) }

// PID is the process id of the child.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err waits until the child has ended, and returns an error with the reason and the last lines of
// its output. It is never nil.
func (p *Process) Err() error {
	<-p.done
	how := p.err
	if how == nil {
		how = errors.New("exit status 0")
	}
	return fmt.Errorf("%w%s", how, p.output.quote())
}

// Stop sends SIGTERM to the child, kills it after StopWithin, and returns when it has ended. The
// error reports that the child had to be killed. Stopping an ended child does nothing.
func (p *Process) Stop() error {
	asked := p.cmd.Process.Signal(syscall.SIGTERM) // fails if the child has ended, and on Windows
	if asked == nil {
		timer := time.NewTimer(p.options.StopWithin)
		defer timer.Stop()
		select {
		case <-p.done:
			return nil
		case <-timer.C:
		}
	}
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.done
	if asked == nil {
		return fmt.Errorf("%s was killed: it did not exit within %s after SIGTERM", p.name(), p.options.StopWithin)
	}
	return nil
}

// lastBytes of a child's output are quoted in errors.
const lastBytes = 1024

// output logs a child's output at debug level, and keeps the last bytes for errors.
type output struct {
	log *slog.Logger

	mu   sync.Mutex
	last []byte
}

// Write logs a piece of output. It never fails, because the child must not be stopped by an error
// here.
func (o *output) Write(piece []byte) (int, error) {
	o.log.Debug(strings.TrimSpace(string(piece)))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = append(o.last, piece...)
	o.last = o.last[max(0, len(o.last)-lastBytes):]
	return len(piece), nil
}

// quote returns the last lines as the end of an error message; empty without output.
func (o *output) quote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := strings.FieldsFunc(string(o.last), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return "; its last output: " + strings.Join(lines, " | ")
}

// FreePort returns a port between 20000 and 29999 that was free at 127.0.0.1 a moment ago. It is
// not reserved: the caller must be ready to try another. Systems use higher ports for outgoing
// connections. So no connection takes the port while a server restarts, and no connection to a port
// without a listener can connect to itself.
func FreePort() (int, error) {
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if IsFree(net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) {
			return port, nil
		}
	}
	return 0, errors.New("found no free port between 20000 and 29999")
}

// IsFree reports whether a server could listen on a TCP address.
func IsFree(address string) bool {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
