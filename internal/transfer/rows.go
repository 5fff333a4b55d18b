package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"product-comments/internal/sheet"
	"product-comments/store"
)

// rows splits a stream of CSV into its records, each of which may have line breaks
// within quotation marks.
type rows struct {
	from   *bufio.Reader
	number int64 // of lines returned, since the start of the file
	offset int64 // in bytes of the stream, after the last row returned
	commas string
	buffer []byte
	sheet  *sheet.Reader
}

// newRows reads the header of a stream, and goes on after a row that ended at the
// offset; 0 is after the header.
func newRows(from io.Reader, o sheet.Options, number, offset int64) (*rows, error) {
	r := &rows{from: bufio.NewReaderSize(from, readBuffer), commas: sheet.Commas}
	if mark, _ := r.from.Peek(len(byteOrder)); string(mark) == byteOrder {
		_, _ = r.from.Discard(len(byteOrder)) // it was peeked at
		r.offset = int64(len(byteOrder))
	}
	header, tooLong, err := r.next()
	switch {
	case err == io.EOF:
		return nil, errors.New("it is empty: the first line of CSV names the columns")
	case err != nil:
		return nil, err
	case tooLong:
		return nil, fmt.Errorf("the header: %w", errTooLong(1, r.number))
	}
	if r.sheet, err = sheet.NewReader(header, o); err != nil {
		return nil, err
	}
	r.commas = string(r.sheet.Comma())
	if offset <= r.offset {
		return r, nil
	}
	_, err = io.CopyN(io.Discard, r.from, offset-r.offset)
	r.number, r.offset = number, offset
	return r, err
}

func (r *rows) place() (number, offset int64) { return r.number, r.offset }

func (r *rows) parse(row []byte, line int64) (store.Comment, []string, error) {
	return r.sheet.Read(row, line)
}

// next is part of records. A row ends with the first line break that is not in
// quotation marks, which count where a cell begins only: a stray one is an error of
// its line, and takes no others along.
func (r *rows) next() (row []byte, tooLong bool, err error) {
	r.buffer = r.buffer[:0]
	var size, breaks int64
	const (
		begins = iota // of a cell
		plain
		quoted
		closing // a quotation mark that ends a cell, or the first of two
	)
reading:
	for state, last := begins, byte(0); ; {
		b, err := r.from.ReadByte()
		if err == io.EOF && size > 0 { // the last row needs no line break
			if last != '\n' {
				breaks++
			}
			break
		}
		if err != nil {
			return nil, false, err
		}
		size, last = size+1, b
		// One more than a row may have tells, with its CR LF, whether it is too long.
		if len(r.buffer) < maxLine+3 {
			r.buffer = append(r.buffer, b)
		}
		if b == '\n' {
			breaks++
			if state != quoted {
				break reading
			}
		}
		switch {
		case b == '"' && (state == begins || state == closing):
			state = quoted
		case b == '"' && state == quoted:
			state = closing
		case state == quoted:
		case bytes.IndexByte([]byte(r.commas), b) >= 0:
			state = begins
		case b != '\r':
			state = plain
		}
	}
	row = bytes.TrimSuffix(r.buffer, []byte("\n"))
	row = bytes.TrimSuffix(row, []byte("\r"))
	r.number += breaks
	r.offset += size
	return row, len(row) > maxLine, nil
}
