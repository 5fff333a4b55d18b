package transfer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"product-comments/store/errs"
)

// pipeline reads the next window of a source while the caller writes the previous one.
type pipeline struct {
	source  *source
	how     reading
	most    int // lines of a window
	windows chan *window
	cancel  context.CancelFunc
	err     error // the reason of the end; valid after windows is closed
}

// start continues reading after a line. stop must be called.
func start(ctx context.Context, s *source, how reading, most int, at lineEnd) *pipeline {
	ctx, cancel := context.WithCancel(ctx)
	p := &pipeline{source: s, how: how, most: most, windows: make(chan *window), cancel: cancel}
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

// next returns the next window, io.EOF after the last one, and the context's error once it has
// ended, even if there is another window.
func (p *pipeline) next(ctx context.Context) (*window, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
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

// stop ends the reading and closes the source. It waits for the goroutine, unless that is blocked
// on standard input.
func (p *pipeline) stop() {
	p.cancel()
	if p.source.file == nil {
		return
	}
	_ = p.source.file.Close() // ends a blocked read of a pipe
	for range p.windows {
	}
}

// stdin is the file name for standard input.
const stdin = "-"

// source is an input that is open for reading.
type source struct {
	name string
	file *os.File // nil for standard input
	from io.Reader
	size int64 // bytes, compressed; -1 if unknown

	position atomic.Int64 // bytes read so far, compressed
	trailing atomic.Bool  // other bytes follow the gzip data
}

// inspect returns the file's information before it is read, nil for standard input.
func inspect(name string) (os.FileInfo, error) {
	if name == stdin {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory: name a file", name)
	}
	return info, err
}

// open opens a file, or standard input.
func open(name string, info os.FileInfo, standard io.Reader) (*source, error) {
	if name == stdin {
		return &source{name: name, from: standard, size: -1}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, file: f, from: f, size: -1}
	if info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

// records returns the records of the source after a checkpoint's line, and an error if it has
// bytes but no records. When the context ends, reading fails.
func (s *source) records(ctx context.Context, how reading, at lineEnd) (r *records, err error) {
	isSheet, start := how.isSheet(s.name), at.offset
	if isSheet {
		start = 0 // the header is there
	}
	from, err := s.stream(ctx, start)
	switch {
	case err != nil:
		return nil, err
	case isSheet:
		r, err = newRows(from, how.sheet, at)
	default:
		r = newLines(from, at)
		r.parse = parseLine(how.json, how.orders)
	}
	if err != nil || at.offset > 0 {
		return r, err
	}
	switch _, _, err = r.content(); {
	case err == nil:
		r.unread()
	case err == io.EOF && r.offset > 0:
		return nil, errs.Errorf(errs.BadUserInput, "nothing to import: it has no line or row with content")
	case err == io.EOF:
		return r, nil
	}
	return r, err
}

// stream returns the uncompressed content of the source from an offset.
func (s *source) stream(ctx context.Context, offset int64) (io.Reader, error) {
	raw := bufio.NewReaderSize(&counted{ctx, s.from, &s.position}, readBuffer)
	// Detect gzip by the first bytes, because names may be wrong and standard input has none.
	magic, err := raw.Peek(len(gzipMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(magic, gzipMagic) {
		if offset > 0 {
			if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
				return nil, err
			}
			raw.Reset(&counted{ctx, s.from, &s.position})
			s.position.Store(offset)
		}
		return raw, nil
	}
	unzipped := &members{raw: raw, trailing: &s.trailing}
	if err = damaged(unzipped.next()); err == nil {
		_, err = io.CopyN(io.Discard, unzipped, offset)
	}
	return unzipped, err
}

// counted counts the bytes read, and fails when the context has ended.
type counted struct {
	ctx  context.Context
	from io.Reader
	n    *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.from.Read(b)
	c.n.Add(int64(n))
	return n, err
}
