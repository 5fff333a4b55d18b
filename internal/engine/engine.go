package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"product-comments/internal/child"
)

// openWithin bounds Open, which usually takes some 10 milliseconds.
const openWithin = 15 * time.Second

// pollEvery is the time between two looks at the lock or at the owner's record.
const pollEvery = 50 * time.Millisecond

// Options says where an engine keeps its data.
type Options struct {
	// DataDir holds the data and is kept between runs. It is created, with its
	// parents and for us alone (0700), when it does not exist.
	DataDir string
	// Logger hears of restarts at error level, of changes of the owner at info
	// level, of the engine's output at debug level; nil drops all of it.
	Logger *slog.Logger
	// Confine keeps other users and web pages from the engine, where the system
	// allows it: see package keeper, whose Main the program must call. It is
	// reached by DialContext only. Without it anybody on this machine can read and
	// write the data; that is for tests and measurements.
	Confine bool

	look time.Duration // between two looks whether it answers; a second if zero
}

// Engine is an open engine, our own or one that we follow. Its methods may be
// called from any goroutine.
type Engine struct {
	binary string
	dir    string
	log    *slog.Logger
	port   int // fixed when Open returns
	look   time.Duration

	wanted  bool                   // to be confined
	confine bool                   // the same, for as long as that works
	current atomic.Pointer[record] // the engine as far as we know

	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned
	err    error         // of run; to be read after done
}

// Open starts the engine of a data directory, or finds the one that another
// process or another Engine of ours runs there. It returns when the engine
// answers.
//
// It fails when there is no binary ([Find]), when the directory cannot be
// created or locked, when the engine does not start (the error quotes its last
// output), when the directory is in use and its engine does not answer within
// 15 seconds, and when ctx ends. ctx bounds Open only; the engine lives until
// [Engine.Close].
func Open(ctx context.Context, options Options) (*Engine, error) {
	binary, err := Find()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(options.DataDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	e := &Engine{
		binary:  binary,
		dir:     dir,
		log:     cmp.Or(options.Logger, slog.New(slog.DiscardHandler)),
		look:    cmp.Or(options.look, time.Second),
		wanted:  options.Confine,
		confine: options.Confine,
		done:    make(chan struct{}),
	}

	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	held, process, err := e.join(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the embedded engine in %s: %w", dir, err)
	}
	life, end := context.WithCancel(context.Background())
	e.cancel = end
	go e.run(life, held, process)
	return e, nil
}

// Endpoint is the URL of the engine, http://127.0.0.1:PORT. It stays the same
// until Close. Any credentials will do. A confined engine is not reached there, but
// by DialContext.
func (e *Engine) Endpoint() string { return e.current.Load().endpoint() }

// DialContext connects to the engine, wherever it runs now; network and address
// are ignored. It is for an [http.Transport]. It fails when the engine does not
// answer, as while it is restarted, and when ctx ends.
func (e *Engine) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	conn, err := e.current.Load().dial(ctx, e.dir)
	if err == nil {
		return conn, nil
	}
	now, readErr := readRecord(e.dir) // another owner may run it in another way
	if readErr != nil || now == *e.current.Load() {
		return nil, err
	}
	if conn, err = now.dial(ctx, e.dir); err == nil {
		e.current.Store(&now)
	}
	return conn, err
}

// Close stops the engine if it is ours, or stops following. Others who use the
// data directory go on: one of them takes over. It returns when everything has
// ended, after 5 seconds at the most if the engine has to be killed, which is
// an error. Closing again returns the same.
func (e *Engine) Close() error {
	e.cancel()
	<-e.done
	return e.err
}

// join makes us the owner (the lock and the running child are returned) or a
// follower (both are nil), and sets the port.
func (e *Engine) join(ctx context.Context) (*lock, *child.Process, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		held, err := tryLock(e.dir)
		if err != nil {
			return nil, nil, err
		}
		if held != nil {
			process, err := e.startFirst(ctx, held)
			if err != nil {
				return nil, nil, errors.Join(err, held.release())
			}
			return held, process, nil
		}
		found, err := readRecord(e.dir)
		if err == nil {
			err = found.check(ctx, e.dir)
		}
		if err == nil {
			e.port = found.Port
			e.current.Store(&found)
			e.log.Info("following the engine of another process", "endpoint", e.Endpoint())
			return nil, nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("another process has the data directory, but its engine does not answer: %w", err)
		case <-tick.C: // the owner may just be starting, or ending
		}
	}
}
