package sheet

import (
	"io"
	"regexp"

	"product-comments/store/errs"
)

// maxAbove is the number of rows among which an error looks for the header.
const maxAbove = 20

// separatorLine is a first line with which spreadsheets name the separator.
var separatorLine = regexp.MustCompile("^\"?(?i:sep)=([\\t !#-/:-@[-`{-~])\"?$")

// FindHeader returns the reader of the header: the first row, or the one after a line that names the
// separator. next returns the next row that is not blank and its line, and io.EOF after the last one.
// The BadUserInput error for a row that is no header names a later line that looks like one.
func FindHeader(next func() (row []byte, line int64, err error), o Options) (*Reader, error) {
	commas, best := Commas, (*Reader)(nil)
	var wrong error = errs.Errorf(errs.BadUserInput, "it is empty: the first line of CSV names the columns")
	for n := range maxAbove {
		row, line, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if sep := separatorLine.FindSubmatch(row); n == 0 && sep != nil {
			commas = string(sep[1])
			continue
		}
		r, err := newReader(row, line, commas, o)
		switch {
		case best == nil && err == nil:
			return r, nil
		case best == nil:
			best, wrong = r, err
		case len(r.headers) > len(best.headers):
			best, wrong = r, errs.Errorf(errs.BadUserInput, "line %d looks like the header: remove what is above it", line)
		}
	}
	return nil, wrong
}
