package sheet

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"product-comments/internal/files/ndjson"
	"product-comments/store"
	"product-comments/store/errs"
)

// Options configure how files are read.
type Options struct {
	Map     Map
	Dates   ndjson.Dates // instead of the ready map's
	Ratings ndjson.Ratings
	// Strict refuses a file with unknown columns, and takes exact names only.
	Strict bool
	// Defaults are values for missing fields, as in ndjson.Reader.
	Defaults map[string]string
	// Nulls are the values of empty cells; DefaultNulls if nil.
	Nulls []string
}

// DefaultNulls are the words that databases, languages and spreadsheets write for no value.
var DefaultNulls = []string{"NULL", "null", "None", `\N`, "#N/A", "nan", "NaN"}

// Reader reads the rows of a file.
type Reader struct {
	comma   rune
	columns []column
	headers map[string]string // of fields that have a column
	o       Options
	ids     bool               // rows have comment ids
	alike   map[[8]byte]uint32 // the number of rows with each identity, by its hash
	last    int64              // the last counted line
	// Nulls is the number of cells in the last row that are empty because of Options.Nulls.
	Nulls int
	// Pictures are those of the last row; the comment has none of them yet.
	Pictures []ndjson.Picture
}

// column describes one of the file's columns.
type column struct {
	header     string
	target     string            // empty for an unknown column
	spare      string            // the field that an attribute's column fills where the field's own one is empty
	usual      bool              // the target follows from a usual name
	visibility ndjson.Visibility // of a column that is mapped to it, or has the name of one and no target
	hides      []string          // observed values, in quotation marks, of rows that are not published
}

// Commas are the cell separators of different countries and programs.
const Commas = ",;\t|"

// newReader reads a header on a line, whose separator is one of commas. It returns the reader, also
// an unusable one, and a BadUserInput error that names the columns if a required field has no
// column, if two columns hold one field, if a column of the map is missing, or if a column is
// unknown and Options.Strict is set.
func newReader(header []byte, line int64, commas string, o Options) (*Reader, error) {
	r := &Reader{headers: map[string]string{}, o: o, alike: map[[8]byte]uint32{}}
	if !utf8.Valid(header) {
		return r, notUTF8(line)
	}
	if o.Nulls == nil {
		r.o.Nulls = DefaultNulls
	}
	r.o.Dates = cmp.Or(o.Dates, o.Map.dates)
	var wrong error // with the first separator with which the header is not CSV
	for _, comma := range commas {
		names, err := cells(header, comma, line)
		if err != nil && wrong == nil {
			wrong = err
		}
		if len(names) > len(r.columns) {
			r.comma, r.columns = comma, make([]column, len(names))
			for i, name := range names {
				r.columns[i].header = strings.TrimSpace(name)
			}
		}
	}
	if len(r.columns) == 0 {
		return r, wrong
	}
	if err := r.assign(); err != nil {
		return r, err
	}
	return r, r.check()
}

// assign sets the targets of the columns.
func (r *Reader) assign() error {
	for _, rule := range r.o.Map.rules {
		i := r.find(rule.column)
		switch {
		case i < 0 && !rule.ready:
			return errs.Errorf(errs.BadUserInput, "the header has no column %q, which the map names; it has %s",
				rule.column, r.names())
		case i < 0 || r.columns[i].target != "":
			continue // it is missing, or an earlier rule has a column for its field
		}
		c := &r.columns[i]
		c.target = rule.target
		if other, taken := r.headers[rule.target]; taken {
			if !rule.ready {
				return errs.Errorf(errs.BadUserInput, "the columns %q and %q are both mapped to %s", other, c.header,
					rule.target)
			}
			c.target, c.spare = attributes, rule.target
		}
		r.claim(c)
	}
	if err := r.assignByName(); err != nil {
		return err
	}
	for i, c := range r.columns {
		if slices.ContainsFunc(r.columns[:i], func(first column) bool {
			return first.header == c.header && first.target != "" && first.target != leftOut
		}) {
			return errs.Errorf(errs.BadUserInput, "two columns are named %q: give one of them another name in the file", c.header)
		}
	}
	_, r.ids = r.headers["commentId"]
	return nil
}

// claim records a field's column, and the name of an attribute's.
func (r *Reader) claim(c *column) {
	switch {
	case ndjson.IsPlain(c.target):
		r.headers[c.target] = c.header
	case c.target == attributes:
		c.target = attributes + "." + c.header
	}
}

// find returns the index of a column by name: an exact match, or one that is equal but for case
// and punctuation. It is -1 if there is none.
func (r *Reader) find(name string) int {
	if i := slices.IndexFunc(r.columns, func(c column) bool { return c.header == name }); i >= 0 {
		return i
	}
	letters := ndjson.Letters(name)
	return slices.IndexFunc(r.columns, func(c column) bool { return letters != "" && ndjson.Letters(c.header) == letters })
}

func (r *Reader) names() string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = fmt.Sprintf("%.60q", c.header)
	}
	return strings.Join(names[:min(len(names), 60)], ", ")
}

// check returns an error for a file of which nothing, or in strict mode not everything, could be
// imported.
func (r *Reader) check() error {
	for _, field := range ndjson.Required() {
		_, given := r.headers[field]
		_, defaults := r.o.Defaults[field]
		if !given && !defaults && field != "commentId" {
			return errs.Errorf(errs.BadUserInput, "no column has %s: name it with --map COLUMN=%s, or give all rows one value with --default %s=VALUE; the header has %s",
				field, field, field, r.names())
		}
	}
	for _, c := range r.columns {
		if r.o.Strict && c.target == "" {
			return errs.Errorf(errs.BadUserInput, "unknown column %q%s: map it to a field or to attributes with --map, or to - to ignore it",
				c.header, ndjson.Meant(c.header))
		}
	}
	return nil
}

// Shape returns the file's cell separator and its number of columns.
func (r *Reader) Shape() (comma string, width int) { return string(r.comma), len(r.columns) }

// Read reads a row that begins on a line of the file. It returns a valid comment, and the names of
// unknown columns with a value in this row. Every error is a BadUserInput that names the column,
// or the line and character if the row is not CSV.
func (r *Reader) Read(row []byte, line int64) (c store.Comment, unknown []string, err error) {
	r.Nulls, r.Pictures = 0, nil
	values, err := r.values(row, line)
	if err != nil {
		return c, nil, err
	}
	given, spare := map[string]bool{}, map[string]string{}
	for i, column := range r.columns {
		value, null := r.value(values[i])
		if null {
			r.Nulls++
		}
		if value == "" {
			continue
		}
		name, isAttribute := strings.CutPrefix(column.target, attributes+".")
		switch {
		case column.target == "":
			unknown = append(unknown, column.header)
		case column.target == leftOut:
		case column.target == pictures:
			for _, p := range ndjson.PicturesIn(value) {
				if !slices.Contains(r.Pictures, p) { // several columns may have it
					r.Pictures = append(r.Pictures, p)
				}
			}
		case isAttribute:
			c.Attributes = appendAttribute(c.Attributes, name, value)
			spare[column.spare] = cmp.Or(spare[column.spare], value)
		case column.target == published, column.target == unpublished:
			if !column.visibility.Shows(value) {
				return c, unknown, errs.Invalid(column.header, "%.40q says that it is not published, so the row is not imported; --map '%s=attributes' imports it all the same", value, column.header)
			}
		default:
			if given[column.target], err = r.set(&c, column.target, value); err != nil {
				return c, unknown, r.named(err)
			}
		}
	}
	delete(spare, "") // of other attributes
	for _, field := range slices.Sorted(maps.Keys(spare)) {
		if given[field] {
			continue
		}
		if given[field], err = r.set(&c, field, spare[field]); err != nil {
			return c, unknown, r.named(err)
		}
	}
	if c.Attributes != nil {
		c.Attributes = append(c.Attributes, '}')
	}
	rest := ndjson.Reader{Defaults: r.o.Defaults}
	if !r.ids {
		c.ID, given["commentId"] = r.idOf(&c, line), true
	}
	return c, unknown, r.named(rest.Complete(&c, given))
}

// values returns the cells of a row, and a BadUserInput error if they do not fit the header.
func (r *Reader) values(row []byte, line int64) ([]string, error) {
	if !utf8.Valid(row) {
		return nil, notUTF8(line)
	}
	values, err := cells(row, r.comma, line)
	if err == nil && len(values) != len(r.columns) {
		err = errs.Errorf(errs.BadUserInput, "the row has %d cells, but the header has %d columns", len(values), len(r.columns))
	}
	return values, err
}

// value returns a cell's value, and reports whether it is empty because of Options.Nulls.
func (r *Reader) value(cell string) (value string, null bool) {
	value = strings.TrimSpace(cell)
	if value != "" && slices.Contains(r.o.Nulls, value) {
		return "", true
	}
	return value, false
}

// cells parses a record. Line breaks in cells become LF.
func cells(record []byte, comma rune, line int64) ([]string, error) {
	if bytes.IndexByte(record, '\r') >= 0 {
		record = bytes.ReplaceAll(bytes.ReplaceAll(record, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	d := csv.NewReader(bytes.NewReader(record))
	d.Comma, d.FieldsPerRecord = comma, -1
	values, err := d.Read()
	var at *csv.ParseError
	switch {
	case errors.As(err, &at):
		if errors.Is(err, csv.ErrQuote) { // it is better found where the cell begins
			row := Row{Commas: string(comma)}
			for _, b := range record {
				row.Add(b)
			}
			before := record[:row.opened]
			at.Line, at.Column = 1+bytes.Count(before, []byte("\n")), row.opened-bytes.LastIndexByte(before, '\n')
		}
		return nil, errs.Errorf(errs.BadUserInput, "line %d, character %d: %s", line+int64(at.Line)-1, at.Column, quotingError(at.Err))
	case err == io.EOF:
		return nil, errs.Errorf(errs.BadUserInput, "line %d: it is empty", line)
	}
	return values, err
}

// quotingError explains a misplaced quotation mark.
func quotingError(err error) string {
	if errors.Is(err, csv.ErrBareQuote) {
		return `a cell has a quotation mark but does not begin with one: write such a cell in quotation marks, and double those in it`
	}
	return `a cell begins with a quotation mark but does not end with one, or quotation marks in it are not doubled`
}

func notUTF8(line int64) error {
	return errs.Errorf(errs.BadUserInput, "line %d: it is not valid UTF-8; save the file as UTF-8", line)
}

// named adds the name of the field's column to an error.
func (r *Reader) named(err error) error {
	var coded *errs.Error
	if errors.As(err, &coded) && r.headers[coded.Field] != "" {
		renamed := *coded
		renamed.Field = r.headers[coded.Field]
		return &renamed
	}
	return err
}

func appendAttribute(object []byte, name, value string) []byte {
	if object == nil {
		object = []byte{'{'}
	} else {
		object = append(object, ',')
	}
	return ndjson.AppendString(append(ndjson.AppendString(object, name), ':'), value)
}

// rounded is a number in exponent form, as spreadsheets write long ids.
var rounded = regexp.MustCompile(`(?i)^[+-]?[0-9]+([.,][0-9]*e[+-]?|e\+)[0-9]+$`)

// set sets a field from a cell, and reports whether the cell says anything about it.
func (r *Reader) set(c *store.Comment, field, value string) (said bool, err error) {
	switch field {
	case "productId", "commentId":
		if rounded.MatchString(value) {
			return true, errs.Invalid(field, "%.40q is an id that a spreadsheet has rounded, so other rows may have it, too: format the column as text in the original file, and save it again", value)
		}
	case "createdAt":
		c.CreatedAt, err = ndjson.ParseTime(field, value, r.o.Dates)
		return true, err
	case "experiencedAt":
		var at time.Time
		at, err = ndjson.ParseTime(field, value, r.o.Dates)
		c.ExperiencedAt = &at
		return true, err
	case "incentive":
		value = incentiveOf(value)
	case "rating":
		c.Rating, err = ndjson.ParseRating(field, value, r.o.Ratings)
		return true, err
	case "verifiedPurchase":
		word, known := purchaseWords[ndjson.Letters(value)]
		if known && word == "" {
			return false, nil
		}
		value = cmp.Or(word, value)
	}
	return true, ndjson.Set(c, field, value)
}

// idOf derives an id from the parts of a row that identify it; a changed reply, vote or rating of a
// text leaves it unchanged. The n-th row of a file with the same parts has its own id, and the same
// one whenever the file is read.
func (r *Reader) idOf(c *store.Comment, line int64) string {
	parts := []string{c.ProductID, c.CreatedAt.UTC().Format(time.RFC3339Nano), c.Author, c.Title, c.Text}
	if c.Title == "" && c.Text == "" { // little else distinguishes it from rows of other files
		parts = append(parts, strconv.Itoa(c.Rating), c.Language)
	}
	h := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // writing to a hash cannot fail
	}
	identity := [8]byte(h.Sum(nil))
	if line > r.last { // a row may be read twice
		r.alike[identity]++
		r.last = line
	}
	if n := r.alike[identity]; n > 1 {
		_, _ = fmt.Fprintf(h, "row %d", n)
	}
	return "csv-" + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}
