package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"product-comments/internal/ndjson"
	"product-comments/internal/sheet"
	"product-comments/store"
	"product-comments/store/orders"
)

const (
	maxLine    = 1 << 20  // bytes of a record without its line break; longer ones are refused
	readBuffer = 64 << 10 // bytes
	maxRaw     = 64 << 10 // bytes of a refused record in the rejects file
	byteOrder  = "\ufeff" // the byte order mark of some systems
)

// records are the records of a file: NDJSON lines or CSV rows. A record that is too long is
// skipped without being held in memory.
type records struct {
	from   *bufio.Reader
	commas string // cell separators of rows; empty for lines, in which quotation marks have no meaning
	parse  func(record []byte, line int64) (parsed, error)

	lineEnd         // of the last record
	before  lineEnd // of the record before it
	record  []byte
	again   bool // next returns the last record again
}

// lineEnd is the position after a line of a stream; the zero value is the start.
type lineEnd struct {
	number int64 // of the line, from 1
	offset int64 // of the stream
}

// parsed is the content of a record: a comment or an order.
type parsed struct {
	comment *store.Comment
	order   *orders.Order
	unknown []string // unknown names in it
}

// newLines returns the lines of a stream that starts after a line.
func newLines(from io.Reader, at lineEnd) *records {
	r := &records{from: bufio.NewReaderSize(from, readBuffer), lineEnd: at}
	if mark, _ := r.from.Peek(len(byteOrder)); at.offset == 0 && string(mark) == byteOrder {
		_, _ = r.from.Discard(len(byteOrder)) // it was peeked at
		r.offset = int64(len(byteOrder))
	}
	return r
}

// newRows reads the header of a CSV stream, and continues after a row; the zero value of at is
// after the header.
func newRows(from io.Reader, o sheet.Options, at lineEnd) (*records, error) {
	r := newLines(from, lineEnd{})
	r.commas = sheet.Commas
	header, tooLong, err := r.next()
	switch {
	case err == io.EOF:
		return nil, errors.New("it is empty: the first line of CSV names the columns")
	case err != nil:
		return nil, err
	case tooLong:
		return nil, fmt.Errorf("the header: %w", errTooLong(1, r.number))
	}
	row, err := sheet.NewReader(header, o)
	if err != nil {
		return nil, err
	}
	r.commas = string(row.Comma())
	r.parse = func(record []byte, line int64) (parsed, error) {
		c, unknown, err := row.Read(record, line)
		return parsed{comment: &c, unknown: unknown}, err
	}
	for r.offset < at.offset { // later ids depend on these rows
		line := r.number + 1
		if record, tooLong, err := r.next(); err != nil {
			return nil, err
		} else if !tooLong {
			_, _ = r.parse(record, line) // it was imported or refused
		}
	}
	return r, nil
}

// parseLine returns a parser of NDJSON lines.
func parseLine(how *ndjson.Reader, isOrder bool) func([]byte, int64) (parsed, error) {
	return func(line []byte, _ int64) (parsed, error) {
		if isOrder {
			o, err := ndjson.ParseOrder(line)
			return parsed{order: &o}, err
		}
		c, unknown, err := how.Read(line)
		return parsed{comment: &c, unknown: unknown}, err
	}
}

// next returns a record without its line break, valid until the next call; for a record that is
// too long, its start. At the end it returns io.EOF; after any other error the incomplete record
// is lost. A line break is LF, CR LF or CR. A row ends with the first one outside quotation marks.
// Quotation marks count at the start of a cell only, so a stray one affects its own line only.
func (r *records) next() (record []byte, tooLong bool, err error) {
	if r.again {
		r.unread()
		r.again = false
		return r.record, false, nil
	}
	r.record = r.record[:0]
	var size, breaks int64
	const (
		begins = iota // at the start of a cell
		plain
		quoted
		closing // a quotation mark that ends a cell, or the first of two
	)
reading:
	for state, last := begins, byte(0); ; {
		b, err := r.from.ReadByte()
		if err == io.EOF && size > 0 { // the last record needs no line break
			if last != '\n' && last != '\r' {
				breaks++
			}
			break
		}
		if err != nil {
			return nil, false, err
		}
		size, last = size+1, b
		// One byte beyond the maximum, with CR LF, shows that the record is too long.
		if len(r.record) < maxLine+3 {
			r.record = append(r.record, b)
		}
		if b == '\n' || b == '\r' && !r.lineFeedFollows() {
			breaks++
			if state != quoted {
				break reading
			}
		}
		switch {
		case r.commas == "":
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
	r.record = bytes.TrimSuffix(bytes.TrimSuffix(r.record, []byte("\n")), []byte("\r"))
	r.before = r.lineEnd
	r.number += breaks
	r.offset += size
	return r.record, len(r.record) > maxLine, nil
}

// lineFeedFollows reports whether a line feed follows, which ends the line of a carriage return before it.
func (r *records) lineFeedFollows() bool {
	following, _ := r.from.Peek(1)
	return string(following) == "\n"
}

// unread makes next return the last record again; until then the record before it is the last one.
func (r *records) unread() { r.lineEnd, r.before, r.again = r.before, r.lineEnd, true }

func errTooLong(first, last int64) error {
	if first == last {
		return fmt.Errorf("the line has more than %d bytes", maxLine)
	}
	return fmt.Errorf("the row in lines %d to %d has more than %d bytes: a closing quotation mark may be missing",
		first, last, maxLine)
}
