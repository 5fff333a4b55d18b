package transfer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/sheet"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/orders"
)

const (
	maxLine    = 1 << 20  // bytes of a record without its line break; longer ones are refused
	maxRaw     = 64 << 10 // bytes of a refused record in the rejects file
	readBuffer = 64 << 10 // bytes
	maxTwice   = 64 << 20 // bytes that are read again after open quotation marks, and
	maxTimes   = 8        // times the bytes read so far
	byteOrder  = "\ufeff" // the byte order mark of some systems
)

// records are the records of a file: NDJSON lines or CSV rows. A record that is too long is
// skipped without being held in memory.
type records struct {
	from   *bufio.Reader
	ahead  []byte // what from has read
	commas string // cell separators of rows; empty for lines, in which quotation marks have no meaning
	width  int    // cells of a row, 0 if it is not known
	twice  int64  // bytes that were read again after open quotation marks
	parse  func(record []byte, line int64) (parsed, error)
	sheet  *sheet.Reader // nil for lines

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
	comment  *store.Comment
	pictures []ndjson.Picture // of the comment
	order    *orders.Order
	unknown  []string // unknown names in it
	nulls    int      // its cells with a null marker
}

// newLines returns the lines of a stream that starts after a line.
func newLines(from io.Reader, at lineEnd) *records {
	return &records{from: bufio.NewReaderSize(from, maxLine+readBuffer), lineEnd: at}
}

// newRows reads the header of a CSV stream, and continues after a row; the zero value of at is
// after the header.
func newRows(from io.Reader, o sheet.Options, at lineEnd) (*records, error) {
	r := newLines(from, lineEnd{})
	r.commas = sheet.Commas
	row, err := sheet.FindHeader(func() ([]byte, int64, error) {
		record, line, err := r.content()
		if len(record) > maxLine {
			err = fmt.Errorf("the header: %w", errTooLong(line, r.number))
		}
		return record, line, err
	}, o)
	if err != nil {
		return nil, err
	}
	r.sheet = row
	r.commas, r.width = row.Shape()
	r.parse = func(record []byte, line int64) (parsed, error) {
		c, unknown, err := row.Read(record, line)
		return parsed{comment: &c, pictures: row.Pictures, unknown: unknown, nulls: row.Nulls}, err
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
		return parsed{comment: &c, pictures: how.Pictures, unknown: unknown}, err
	}
}

// next returns a record without its line break, valid until the next call; for a record that is
// too long, its start. At the end it returns io.EOF; after any other error the incomplete record
// is lost. CR, LF and CR LF are line breaks. A row ends with the first one outside quotation marks.
// If it is no row of the sheet then, it ends before the first of its lines that begins one.
func (r *records) next() (record []byte, tooLong bool, err error) {
	if r.again {
		r.unread()
		r.again = false
		return r.record, len(r.record) > maxLine, nil
	}
	r.record, r.before = nil, r.lineEnd
	// Each of several joined files can begin with a mark.
	if b, _ := r.byteAt(0); b == byteOrder[0] {
		if _, _ = r.byteAt(len(byteOrder) - 1); bytes.HasPrefix(r.ahead, []byte(byteOrder)) {
			r.discard(len(byteOrder))
		}
	}
	row := sheet.Row{Commas: r.commas}
	size, lines, within := 0, int64(0), false // of the record in the buffer; its last byte is within a line
	cut := func() bool {
		at, before := r.nextRow(r.ahead[:size])
		if at > 0 {
			r.twice += int64(size - at)
			size, lines, within = at, before, false
		}
		return at > 0
	}
reading:
	for {
		b, err := r.byteAt(size)
		switch {
		case err == bufio.ErrBufferFull && r.record == nil && cut(), r.spent(),
			err == io.EOF && (size > 0 || r.record != nil):
			break reading // the last record needs no line break
		case err == bufio.ErrBufferFull:
			if r.record == nil {
				r.record = bytes.Clone(r.ahead[:maxLine+1])
			}
			r.discard(size)
			size = 0
			continue
		case err != nil:
			return nil, false, err
		}
		size++
		if within = b != '\n' && b != '\r'; !within {
			if next, _ := r.byteAt(size); b == '\r' && next == '\n' {
				size++
			}
			lines++
			if !row.Open() {
				break
			}
		}
		row.Add(b)
	}
	if within {
		lines++
	}
	if r.record == nil {
		if lines > 1 && (row.Open() || !row.Is(r.width) || size > maxLine) {
			cut()
		}
		r.record = bytes.TrimSuffix(bytes.TrimSuffix(r.ahead[:size], []byte("\n")), []byte("\r"))
	}
	if r.spent() {
		return nil, false, errs.Errorf(errs.BadUserInput,
			"line %d: too many quotation marks open a cell and do not close: double those within cells", r.number+1)
	}
	r.number += lines
	r.discard(size)
	return r.record, len(r.record) > maxLine, nil
}

// nextRow returns the offset of the first line of a text, after the first one, at which a row of the
// sheet begins, and the number of lines before it; 0 if there is none.
func (r *records) nextRow(text []byte) (at int, lines int64) {
	for {
		n := bytes.IndexAny(text[at:], "\r\n")
		if n < 0 || r.spent() {
			return 0, 0
		}
		at += n + 1
		lines++
		if bytes.HasPrefix(text[at-1:], []byte("\r\n")) {
			at++
		}
		if r.begins(text[at:]) {
			return at, lines
		}
	}
}

// begins reports whether a row of the sheet begins with a text, or is it.
func (r *records) begins(text []byte) bool {
	row := sheet.Row{Commas: r.commas}
	for _, b := range text {
		r.twice++
		if !row.May(r.width) || !row.Open() && (b == '\n' || b == '\r') {
			break
		}
		row.Add(b)
	}
	return row.Is(r.width) && len(text) > 0 || row.Open() && row.May(r.width) && !row.Is(1)
}

// spent reports whether more was read again than any file with a few open quotation marks needs.
func (r *records) spent() bool { return r.twice > maxTwice+maxTimes*r.offset }

// byteAt returns a byte of the buffer, which it fills up to there.
func (r *records) byteAt(i int) (byte, error) {
	if i >= len(r.ahead) {
		_, err := r.from.Peek(i + 1)
		r.ahead, _ = r.from.Peek(r.from.Buffered()) // it has them
		if i >= len(r.ahead) {
			return 0, err
		}
	}
	return r.ahead[i], nil
}

// discard goes past bytes of the buffer.
func (r *records) discard(n int) {
	_, _ = r.from.Discard(n) // it has them
	r.ahead = r.ahead[n:]
	r.offset += int64(n)
}

// isBlank reports whether a record is an empty line, or a row of empty cells.
func (r *records) isBlank(record []byte) bool {
	return len(bytes.Trim(record, " \t\r\n"+r.commas)) == 0
}

// content returns the next record that is not blank, and its line.
func (r *records) content() (record []byte, line int64, err error) {
	for {
		line = r.number + 1
		record, tooLong, err := r.next()
		if err != nil || tooLong || !r.isBlank(record) {
			return record, line, err
		}
	}
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
