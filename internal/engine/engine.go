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
	"time"

	"product-comments/internal/child"
	"product-comments/internal/file"
)

// pollEvery is the interval for checking the lock.
const pollEvery = 50 * time.Millisecond

// lockFile is the file that the owner of a data directory locks.
const lockFile = "engine.lock"

// Options configure the engine and its data directory.
type Options struct {
	// DataDir is the data directory. It is created with its parents if necessary, and is private
	// to its user, see file.Private.
	DataDir string
	// DynamoDBLocal runs DynamoDB Local instead of dynoxide. It listens on every interface of the
	// machine.
	DynamoDBLocal bool
	// InMemory makes DynamoDB Local store nothing on disk. Otherwise it waits for the disk with
	// every write, which tests need not.
	InMemory bool
	// Logger receives restarts at error level, changes of the owner at info level, and the
	// engine's output at debug level; nil discards all of it.
	Logger *slog.Logger
}

// Engine is an open engine, owned or followed. It is safe for concurrent use.
type Engine struct {
	server  server
	dir     string
	log     *slog.Logger
	address string // fixed when Open returns

	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned
	err    error         // of run; valid after done
}

// Open starts the engine of a data directory, or finds the one that another process or another
// Engine of this process runs there. It returns when the engine accepts connections.
//
// It returns an error if the engine is not installed ([Find]), if the directory cannot be created,
// made private or locked, if the engine does not start (the error quotes its last output), if the
// directory is in use and its engine cannot be reached, or if ctx ends. ctx limits Open only; the
// engine runs until [Engine.Close].
func Open(ctx context.Context, options Options) (*Engine, error) {
	dir, err := filepath.Abs(options.DataDir)
	if err != nil {
		return nil, err
	}
	find := dynoxide
	if options.DynamoDBLocal {
		dir = filepath.Join(dir, "dynamodb-local")
		find = func(dir string) (server, error) { return dynamoDBLocal(dir, options.InMemory) }
	}
	server, err := find(dir)
	if err != nil {
		return nil, err
	}
	if err := file.Private(dir); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	e := &Engine{server: server, dir: dir, log: cmp.Or(options.Logger, slog.New(slog.DiscardHandler)),
		done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(ctx, server.startsWithin)
	defer cancel()
	held, process, err := e.join(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the embedded engine in %s: %w", dir, err)
	}
	if options.DynamoDBLocal {
		e.log.Warn("DynamoDB Local listens on every interface: other machines on the network can read and change the data")
	}
	life, end := context.WithCancel(context.Background())
	e.cancel = end
	go e.run(life, held, process)
	return e, nil
}

// Endpoint returns the URL of the engine, which is fixed until Close. It accepts any credentials.
func (e *Engine) Endpoint() string { return "http://" + e.address }

// Close stops an owned engine, or stops following. Other processes that use the data directory
// continue: one of them becomes the owner. Close returns when everything has ended, after 5
// seconds at most if the engine has to be killed, which is an error. Further calls return the
// same.
func (e *Engine) Close() error {
	e.cancel()
	<-e.done
	return e.err
}

// join makes this Engine an owner (it returns the lock and the child) or a follower (it returns
// nil for both), and sets the address.
func (e *Engine) join(ctx context.Context) (*os.File, *child.Process, error) {
	for {
		held, err := tryLock(e.dir)
		if err != nil {
			return nil, nil, err
		}
		if held != nil {
			process, err := e.startFirst(ctx)
			if err != nil {
				return nil, nil, errors.Join(err, held.Close())
			}
			return held, process, nil
		}
		if now := readRecord(e.dir); now.PID != 0 {
			// A connection is enough: a busy engine may be slow to answer.
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", now.Address)
			if err == nil {
				e.address = now.Address
				e.log.Info("using the engine of another process", "endpoint", e.Endpoint())
				return nil, nil, conn.Close()
			}
		}
		if wait(ctx, pollEvery); ctx.Err() != nil { // the owner may be starting or ending
			return nil, nil, fmt.Errorf("another process uses the data directory, but its engine cannot be reached: %w", ctx.Err())
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
