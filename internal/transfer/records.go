package transfer

import (
	"context"
	"fmt"
	"os"
	"strings"

	"product-comments/internal/ndjson"
	"product-comments/internal/sheet"
	"product-comments/store"
)

// records are what a file is made of: lines of JSON, or rows of CSV. What is too
// long is passed over without being held in memory.
type records interface {
	// next returns a record without its line break, valid until the next call. Of
	// one that is too long, it returns the start. At the end it returns io.EOF;
	// after any other error the record that was being read is not returned.
	next() (record []byte, tooLong bool, err error)
	// place returns the number of the last line that was returned, from 1, and how
	// many bytes of the stream there are up to its end.
	place() (number, offset int64)
	// parse returns the comment of a record, which begins on a line, and the names
	// in it of which nothing is known.
	parse(record []byte, line int64) (store.Comment, []string, error)
}

// rereading are records of which the last one can be read again.
type rereading struct {
	records
	again          bool   // the next record is this one
	record         []byte // valid until the next call of next of the records
	number, offset int64  // the place before it
}

// unread makes next return the last record again. The place is that before it.
func (r *rereading) unread(record []byte, number, offset int64) {
	r.again, r.record, r.number, r.offset = true, record, number, offset
}

func (r *rereading) next() (record []byte, tooLong bool, err error) {
	if r.again {
		r.again = false
		return r.record, false, nil
	}
	return r.records.next()
}

func (r *rereading) place() (number, offset int64) {
	if r.again {
		return r.number, r.offset
	}
	return r.records.place()
}

// objects are lines of JSON.
type objects struct {
	*lines
	how *ndjson.Reader
}

func (o objects) parse(line []byte, _ int64) (store.Comment, []string, error) {
	return o.how.Read(line)
}

// Format is what files are.
type Format string

// The formats of files.
const (
	FormatByName Format = "" // CSV if the name ends in .csv or .csv.gz, else NDJSON
	FormatNDJSON Format = "ndjson"
	FormatCSV    Format = "csv"
)

// reading is how files are read.
type reading struct {
	format Format
	json   *ndjson.Reader
	sheet  sheet.Options
	// fit compares the attributes of comments with their definitions; nil if nobody does.
	fit func(context.Context, []store.Comment) ([]store.Fit, error)
	// orders is true for files of orders, which are lines of JSON.
	orders bool
}

func (o *Options) reading() reading {
	return reading{
		format: o.Format,
		json:   &ndjson.Reader{Strict: o.Strict, Defaults: o.Defaults},
		sheet:  sheet.Options{Map: o.Map, Dates: o.Dates, Strict: o.Strict, Defaults: o.Defaults},
		fit:    o.Fit,
		orders: o.orders,
	}
}

func (r reading) isSheet(name string) bool {
	if r.orders {
		return false
	}
	if r.format != FormatByName {
		return r.format == FormatCSV
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return strings.HasSuffix(name, ".csv")
}

// spelled tells ways of reading a file apart, the usual one being empty. An import
// that was stopped does not go on in another way.
func (r reading) spelled(name string) string {
	switch {
	case r.orders:
		return "orders"
	case r.isSheet(name):
		return fmt.Sprintf("csv %+v", r.sheet) // maps are spelled in the order of their keys
	case r.json.Strict || len(r.json.Defaults) > 0:
		return fmt.Sprintf("ndjson %+v", *r.json)
	default:
		return ""
	}
}

// try reads the header of a file that is a sheet, to find out early what is wrong
// with it.
func (r reading) try(name string, info os.FileInfo) error {
	if !r.isSheet(name) || info == nil || !info.Mode().IsRegular() {
		return nil
	}
	s, err := open(name, info, nil)
	if err != nil {
		return err
	}
	defer s.file.Close() // it was only read
	_, err = s.records(context.Background(), r, 0, 0)
	return err
}
