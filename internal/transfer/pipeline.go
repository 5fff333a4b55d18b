package transfer

import "context"

// pipeline reads windows of a source ahead: one is ready, or being read, while
// another one is written.
type pipeline struct {
	source  *source
	how     reading
	most    int   // lines of a window
	offset  int64 // where it began
	windows chan *window
	ahead   []*window // that were taken for a look, and come next
	cancel  context.CancelFunc
	err     error // why it ended; to be read after windows is closed
}

// start continues after the line that ended there. stop must be called.
func start(ctx context.Context, s *source, how reading, most int, at lineEnd) *pipeline {
	ctx, cancel := context.WithCancel(ctx)
	p := &pipeline{source: s, how: how, most: most, offset: at.offset, windows: make(chan *window), cancel: cancel}
	go func() {
		defer close(p.windows)
		p.err = p.read(ctx, at)
	}()
	return p
}

// read returns io.EOF at the end of the source.
func (p *pipeline) read(ctx context.Context, at lineEnd) error {
	records, err := p.source.records(ctx, p.how, at)
	if err != nil {
		return err
	}
	for line := at.number; ; {
		w, err := readWindow(ctx, records, p.how, p.source.name, p.most)
		if w.lastLine > line {
			line, w.position = w.lastLine, p.source.position.Load()
			select {
			case p.windows <- w:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next window, io.EOF after the last one, and the context's
// error once that ended, even if there is another window.
func (p *pipeline) next(ctx context.Context) (*window, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(p.ahead) > 0 {
		w := p.ahead[0]
		p.ahead = p.ahead[1:]
		return w, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case w, more := <-p.windows:
		if !more {
			return nil, p.err
		}
		return w, nil
	}
}

// stop ends the reading and closes the source. It waits for the goroutine,
// except where that waits for standard input, which nothing can end.
func (p *pipeline) stop() {
	p.cancel()
	if p.source.file == nil {
		return
	}
	_ = p.source.file.Close() // ends a read of a pipe; there is nothing to lose
	for range p.windows {
	}
}
