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

// pollEvery is the time between two looks at the lock.
const pollEvery = 50 * time.Millisecond

// lockFile is locked by the owner of a data folder.
const lockFile = "engine.lock"

// Options says which engine runs, and where it keeps its data.
type Options struct {
	// DataDir holds the data and is kept between runs. It is created, with its
	// parents, when it does not exist, and private to its user, see file.Private.
	DataDir string
	// DynamoDBLocal runs DynamoDB Local instead of dynoxide. It listens on every
	// interface of the machine.
	DynamoDBLocal bool
	// InMemory keeps no data of DynamoDB Local, which waits for the disk with every
	// write: tests need not.
	InMemory bool
	// Logger receives restarts at error level, changes of the owner at info level,
	// the engine's output at debug level; nil drops all of it.
	Logger *slog.Logger
}

// Engine is an open engine, our own or one that we follow. Its methods may be
// called from any goroutine.
type Engine struct {
	server  server
	dir     string
	log     *slog.Logger
	address string // fixed when Open returns

	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned
	err    error         // of run; to be read after done
}

// Open starts the engine of a data folder, or finds the one that another process
// or another Engine of ours runs there. It returns when the engine can be reached.
//
// It fails when the engine is not installed ([Find]), when the folder cannot be
// created, made private or locked, when the engine does not start (the error
// quotes its last output), when the folder is in use and its engine cannot be
// reached, and when ctx ends. ctx bounds Open only; the engine lives until
// [Engine.Close].
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
	e := &Engine{server: server, dir: dir, log: cmp.Or(options.Logger, slog.New(slog.DiscardHandler)), done: make(chan struct{})}
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

// Endpoint is the URL of the engine. It stays the same until Close. Any
// credentials will do.
func (e *Engine) Endpoint() string { return "http://" + e.address }

// Close stops the engine if it is ours, or stops following. Other processes that
// use the data folder go on: one of them takes over. It returns when everything
// has ended, after 5 seconds at most if the engine has to be killed, which is
// an error. Closing again returns the same.
func (e *Engine) Close() error {
	e.cancel()
	<-e.done
	return e.err
}

// join makes us the owner (the lock and the running child are returned) or a
// follower (both are nil), and sets the address.
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
			// Whether it answers is not asked: it may be at long work.
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", now.Address)
			if err == nil {
				e.address = now.Address
				e.log.Info("using the engine of another process", "endpoint", e.Endpoint())
				return nil, nil, conn.Close()
			}
		}
		if wait(ctx, pollEvery); ctx.Err() != nil { // the owner may just be starting, or ending
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
