package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	maxLine    = 1 << 20  // bytes without the line break; a longer one is refused
	readBuffer = 64 << 10 // bytes
	maxRaw     = 64 << 10 // bytes of a refused line that go to the rejects file
	byteOrder  = "\ufeff" // the mark that some systems put at a file's start
)

// lines splits a stream into lines. A line that is too long is passed over
// without being held in memory.
type lines struct {
	from   *bufio.Reader
	number int64 // of lines returned, since the start of the file
	offset int64 // in bytes of the stream, after the last line returned
	buffer []byte
}

// newLines goes on after a line that ended at the offset; both are 0 at the
// start of a file. The stream must be at that place.
func newLines(from io.Reader, number, offset int64) *lines {
	return &lines{from: bufio.NewReaderSize(from, readBuffer), number: number, offset: offset}
}

// place returns the number of the last line returned, and the offset after it.
func (l *lines) place() (number, offset int64) { return l.number, l.offset }

// next returns a line without its line break, valid until the next call. Of a
// line that is too long, it returns the start. At the end it returns io.EOF;
// after any other error the line that was being read is not returned.
func (l *lines) next() (line []byte, tooLong bool, err error) {
	l.buffer = l.buffer[:0]
	size := int64(0)
	for {
		part, err := l.from.ReadSlice('\n')
		size += int64(len(part))
		// One more than a line may have tells, with its CR LF, whether it is too long.
		l.buffer = append(l.buffer, part[:min(len(part), maxLine+3-len(l.buffer))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && size > 0: // the last line needs no line break
		case err != nil:
			return nil, false, err
		}
		break
	}
	line = bytes.TrimSuffix(l.buffer, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if l.offset == 0 {
		line = bytes.TrimPrefix(line, []byte(byteOrder))
	}
	l.number++
	l.offset += size
	return line, len(line) > maxLine, nil
}
