package transfer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// stdin is the name of standard input among the files.
const stdin = "-"

// source is an input that is open for reading.
type source struct {
	name string
	file *os.File // nil for standard input
	from io.Reader
	size int64 // bytes, as compressed; -1 if nobody knows

	position atomic.Int64 // bytes read so far, as compressed
}

// inspect returns what is known of a file before it is read, nil for standard
// input. It finds out early whether a file can be opened.
func inspect(name string) (os.FileInfo, error) {
	if name == stdin {
		return nil, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory, a file is wanted", name)
	case !info.Mode().IsRegular(): // opening a pipe is the same as reading it
		return info, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
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

// records reads the source from a line's end that a checkpoint names. A context that
// ends makes reading fail.
func (s *source) records(ctx context.Context, how reading, at lineEnd) (*records, error) {
	if how.isSheet(s.name) {
		from, err := s.stream(ctx, 0) // the header is at the start
		if err != nil {
			return nil, err
		}
		return newRows(from, how.sheet, at)
	}
	from, err := s.stream(ctx, at.offset)
	if err != nil {
		return nil, err
	}
	r := newLines(from, at)
	r.parse = parseLine(how.json, how.orders)
	return r, nil
}

// stream returns what the source holds, unzipped, from an offset.
func (s *source) stream(ctx context.Context, offset int64) (io.Reader, error) {
	raw := bufio.NewReaderSize(&counted{ctx, s.from, &s.position}, readBuffer)
	// Told by its first bytes, since names lie and standard input has none.
	magic, err := raw.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if offset > 0 {
			if _, err := s.file.Seek(offset, io.SeekStart); err != nil {
				return nil, err
			}
			raw.Reset(&counted{ctx, s.from, &s.position})
			s.position.Store(offset)
		}
		return raw, nil
	}
	unzipped, err := gzip.NewReader(raw) // all members, one after the other
	if err != nil {
		return nil, err
	}
	_, err = io.CopyN(io.Discard, unzipped, offset)
	return unzipped, err
}

// counted counts the bytes read, until the context ends.
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
