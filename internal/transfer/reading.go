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

// Format is the format of files.
type Format string

// The formats of files.
const (
	FormatByName Format = "" // CSV if the name ends in .csv or .csv.gz, else NDJSON
	FormatNDJSON Format = "ndjson"
	FormatCSV    Format = "csv"
)

// reading configures how files are read.
type reading struct {
	format Format
	json   *ndjson.Reader
	sheet  sheet.Options
	// fit compares the attributes of comments with their definitions; may be nil.
	fit func(context.Context, []store.Comment) ([]store.Fit, error)
	// orders is true for files of orders, which are NDJSON.
	orders bool
}

func (o *Options) readOptions() reading {
	return reading{
		format: o.Format,
		json:   &ndjson.Reader{Strict: o.Strict, Defaults: o.Defaults},
		sheet:  sheet.Options{Map: o.Map, Dates: o.Dates, Strict: o.Strict, Defaults: o.Defaults, Nulls: o.Nulls},
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

// fingerprint identifies the way to read a file, empty for the default. An interrupted import
// cannot be continued with another one.
func (r reading) fingerprint(name string) string {
	switch {
	case r.orders:
		return "orders"
	case r.isSheet(name):
		return fmt.Sprintf("csv %+v", r.sheet) // maps are formatted in the order of their keys
	case r.json.Strict || len(r.json.Defaults) > 0:
		return fmt.Sprintf("ndjson %+v", *r.json)
	default:
		return ""
	}
}

// check reads up to the first record, to find problems early.
func (r reading) check(name string, info os.FileInfo) error {
	if info == nil || !info.Mode().IsRegular() {
		return nil
	}
	s, err := open(name, info, nil)
	if err != nil {
		return err
	}
	defer s.file.Close() // it was only read
	_, err = s.records(context.Background(), r, lineEnd{})
	return err
}
