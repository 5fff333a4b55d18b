package transfer

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"product-comments/internal/files/ndjson"
)

// Format is the format of files.
type Format string

// The formats of files.
const (
	FormatByName Format = "" // CSV if the name ends in .csv or .csv.gz, else NDJSON
	FormatNDJSON Format = "ndjson"
	FormatCSV    Format = "csv"
)

// lines returns how lines of NDJSON are read.
func (o *Options) lines() *ndjson.Reader {
	return &ndjson.Reader{Strict: o.Strict, Defaults: o.Defaults}
}

func (o *Options) isSheet(name string) bool {
	if o.orders {
		return false
	}
	if o.Format != FormatByName {
		return o.Format == FormatCSV
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return strings.HasSuffix(name, ".csv")
}

// fingerprint identifies the way to read a file, empty for the default. An interrupted import
// cannot be continued with another one.
func (o *Options) fingerprint(name string) string {
	switch {
	case o.orders:
		return "orders"
	case o.isSheet(name):
		return fmt.Sprintf("csv %+v", o.Options) // maps are formatted in the order of their keys
	case o.Strict || len(o.Defaults) > 0:
		return fmt.Sprintf("ndjson %+v", *o.lines())
	default:
		return ""
	}
}

// check reads up to the first record, to find problems early. A sheet with a column that may say that
// rows are not published is read to its end, so that nothing is written before that is decided.
func (o *Options) check(ctx context.Context, name string, info os.FileInfo) error {
	if info == nil || !info.Mode().IsRegular() {
		return nil
	}
	s, err := open(name, info, nil)
	if err != nil {
		return err
	}
	defer s.file.Close() // it was only read
	r, err := s.records(ctx, o, lineEnd{})
	if err != nil || r.sheet == nil || r.sheet.Undecided(false) == nil {
		return err
	}
	for {
		row, line, err := r.content()
		if err == io.EOF {
			return r.sheet.Undecided(true)
		}
		if err != nil {
			return err
		}
		r.sheet.Observe(row, line)
	}
}
