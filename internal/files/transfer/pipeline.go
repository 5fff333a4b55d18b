package transfer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"sync/atomic"

	"product-comments/store/errs"
)

// windows returns the windows of the source after a line, and the error that ends them early, also
// when the context has ended. It reads the next window while the caller writes this one, and closes
// the source in the end. It waits for the goroutine, unless that is blocked on standard input.
func (s *source) windows(ctx context.Context, o *Options, at lineEnd) iter.Seq2[*window, error] {
	return func(yield func(*window, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := make(chan *window)
		var end error // valid after ahead is closed
		go func() {
			defer close(ahead)
			end = s.read(ctx, o, at, ahead)
		}()
		defer func() {
			if cancel(); s.file != nil {
				_ = s.file.Close() // ends a blocked read of a pipe
				for range ahead {
				}
			}
		}()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case w, more := <-ahead:
				if !more && end != io.EOF {
					yield(nil, end)
				}
				if !more || !yield(w, nil) {
					return
				}
			}
		}
		yield(nil, ctx.Err())
	}
}

// read returns io.EOF at the end of the source.
func (s *source) read(ctx context.Context, o *Options, at lineEnd, to chan<- *window) error {
	records, err := s.records(ctx, o, at)
	if err != nil {
		return err
	}
	for line := at.number; ; {
		w, err := readWindow(ctx, records, o, s.name)
		if w.lastLine > line {
			if records.sheet != nil && line == at.number {
				w.usual = records.sheet.UsualNames()
			}
			line, w.position = w.lastLine, s.position.Load()
			select {
			case to <- w:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err != nil {
			return err
		}
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
func (s *source) records(ctx context.Context, o *Options, at lineEnd) (r *records, err error) {
	isSheet, start := o.isSheet(s.name), at.offset
	if isSheet {
		start = 0 // the header is there
	}
	from, err := s.stream(ctx, start)
	switch {
	case err != nil:
		return nil, err
	case isSheet:
		if r, err = newRows(from, o.Options, at); err == nil && s.size < 0 {
			err = r.sheet.Undecided(false)
		}
	default:
		r = newLines(from, at)
		r.parse = parseLine(o.lines(), o.orders)
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
