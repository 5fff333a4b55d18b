package embedded

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// maxTogether bounds the writes of one transaction, because other processes wait for its end.
const maxTogether = 64

// writer executes the writes of a process. Concurrent writes share a transaction (group commit),
// because each transaction is expensive.
type writer struct {
	c    *conn
	e    *Engine
	jobs chan *job

	mu     sync.RWMutex // senders of jobs hold it for reading
	closed bool
	done   chan struct{}
}

// job is a write.
type job struct {
	ctx context.Context
	// do reads and writes in the transaction. It returns an error of DynamoDB only before its first
	// write.
	do   func(*tx) error
	err  error
	done chan struct{}
}

func startWriter(c *conn, e *Engine) *writer {
	w := &writer{c: c, e: e, jobs: make(chan *job, maxTogether), done: make(chan struct{})}
	go w.run()
	return w
}

// close ends the writer after the queued writes.
func (w *writer) close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.jobs)
	}
	w.mu.Unlock()
	<-w.done
	return w.c.close()
}

// write executes a write and returns its error. If the context ends first, write returns the
// context's error, and the write may or may not take effect.
func (w *writer) write(ctx context.Context, do func(*tx) error) error {
	j := &job{ctx: ctx, do: do, done: make(chan struct{})}
	if err := w.send(j); err != nil {
		return err
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) send(j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.jobs <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

func (w *writer) run() {
	defer close(w.done)
	for first := range w.jobs {
		for _, j := range w.commit(first) {
			close(j.done)
		}
	}
}

// commit executes a write, and the writes that come until it ends, in one transaction: all, or none if
// the transaction fails.
func (w *writer) commit(first *job) (together []*job) {
	err := w.c.exec("BEGIN IMMEDIATE") // waits for other processes
	t := &tx{conn: w.c, e: w.e, now: w.e.now(), streams: map[*table]*counters{}}
	if err == nil {
		err = w.e.tables.refresh(w.c)
	}
	for j := first; j != nil; j = w.next(len(together)) {
		if together = append(together, j); err == nil {
			err = t.do(j)
		}
	}
	if err == nil {
		err = t.count()
	}
	if err == nil {
		err = w.c.exec("COMMIT")
	}
	if err == nil {
		return together
	}
	// This fails if there is no transaction, or SQLite has rolled back itself, such as when the disk is full.
	_ = w.c.exec("ROLLBACK")
	for _, j := range together {
		j.err = err
	}
	return together
}

// next returns another write for a transaction of n; nil if none waits, or there is no room. It lets
// callers that are about to write run before it looks a second time.
func (w *writer) next(n int) *job {
	for look := 0; n < maxTogether && look < 2; look++ {
		select {
		case j := <-w.jobs: // nil if it is closed
			return j
		default:
			runtime.Gosched()
		}
	}
	return nil
}

// tx is a transaction.
type tx struct {
	*conn
	e       *Engine
	now     time.Time
	streams map[*table]*counters
}

// do executes a write, and returns an error of the file.
func (t *tx) do(j *job) error {
	if j.err = j.ctx.Err(); j.err != nil { // its caller has gone
		return nil
	}
	var failed *fileError
	if j.err = j.do(t); errors.As(j.err, &failed) {
		return j.err
	}
	return nil
}
