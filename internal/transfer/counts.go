package transfer

import (
	"fmt"

	"product-comments/internal/progress"
)

// Counts tells what became of the lines of a file. Every line that is not
// blank is written, replaced or refused:
//
//   - Written: there was no comment with its id.
//   - Replaced: there was one, in the table or on an earlier line. Of several
//     lines with one id, the last one stays, in the file's order.
//   - Unchanged, counted within Replaced: that one was the same, so nothing
//     was written.
//   - Refused: it went to the rejects file.
//
// An import that goes on after it was killed (not: interrupted) can count some
// comments as unchanged that it wrote itself, just before.
type Counts struct {
	Lines     int64 `json:"lines"` // with blank ones
	Written   int64 `json:"written"`
	Replaced  int64 `json:"replaced"`
	Unchanged int64 `json:"unchanged"`
	Refused   int64 `json:"refused"`
}

func (c *Counts) add(more Counts) {
	c.Lines += more.Lines
	c.Written += more.Written
	c.Replaced += more.Replaced
	c.Unchanged += more.Unchanged
	c.Refused += more.Refused
}

// String returns, for example,
// "3490 written, 2 replaced (1 of them unchanged), 0 refused".
func (c Counts) String() string {
	return fmt.Sprintf("%d written, %d replaced (%d of them unchanged), %d refused",
		c.Written, c.Replaced, c.Unchanged, c.Refused)
}

// FileSummary is what became of one file.
type FileSummary struct {
	Name string // as it was given
	Counts
	// Unknown says how many lines have a member that no field has, by its name.
	Unknown      map[string]int64
	ResumedAfter int64  // the line after which an earlier import stopped, 0 if there is none
	Rejects      string // the file that holds the refused lines, "" if there are none

	fitting fitting
}

// Summary is what became of all files. The embedded Counts are the sum.
type Summary struct {
	Counts
	Files []FileSummary // those that were begun
}

func ofLines(n int64) string { return progress.Counted(n, "line") }
