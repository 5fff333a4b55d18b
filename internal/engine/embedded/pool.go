package embedded

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"
)

// pool contains the connections for reads. Reads are bound by the processors, so a few more
// connections than processors suffice.
type pool struct {
	file  string
	limit *semaphore.Weighted

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

func newPool(file string) *pool {
	return &pool{file: file, limit: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0) + 2))}
}

// read calls do with a connection. It returns the context's error if the context ends before a
// connection is free.
func (p *pool) read(ctx context.Context, do func(*conn) error) error {
	if err := p.limit.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.limit.Release(1)
	c, err := p.get(ctx)
	if err != nil {
		return err
	}
	err = do(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.Join(err, c.close())
	}
	p.idle = append(p.idle, c)
	return err
}

// get returns the connection that was used last, because its cache is the warmest, or a new one.
func (p *pool) get(ctx context.Context) (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if n := len(p.idle) - 1; n >= 0 {
		c := p.idle[n]
		p.idle = p.idle[:n]
		return c, nil
	}
	return connect(ctx, p.file)
}

// close closes the connections when the current reads have ended.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.close())
	}
	p.idle = nil
	return err
}

var errClosed = errors.New("the embedded engine is closed")
