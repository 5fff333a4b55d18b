package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/progress"
	"product-comments/internal/files/sheet"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/settings/definitions"
	"product-comments/store/settings/families"
)

// Importer is the part of the store that an import needs.
type Importer interface {
	Table() string
	Import(ctx context.Context, comments []store.Comment) ([]store.Outcome, error)
}

// Options configure an import. The zero value reads os.Stdin, stores no checkpoints and shows no
// progress.
type Options struct {
	// DataDir is the directory for checkpoints, in imports/. If it is empty, an interrupted import
	// starts over when it is run again.
	DataDir string
	// Endpoint distinguishes the store from others with the same table name. It should not change
	// between runs, so for an embedded store it must not contain the port.
	Endpoint string
	// Rejects is the file for refused lines of all files. If it is empty, each file has its own in
	// the current directory: <base name>.rejects.ndjson, stdin.rejects.ndjson.
	Rejects string
	// Restart ignores checkpoints.
	Restart bool
	// Format is the format of the files; empty for the format of each file's name.
	Format Format
	// The embedded options are for sheets. Strict and Defaults are for lines, too: Strict refuses
	// lines with unknown members, which otherwise are counted, reported and ignored.
	sheet.Options
	// Fit compares the attributes of comments with their definitions. A comment is refused if its
	// values do not convert. Nil accepts everything.
	Fit func(context.Context, []store.Comment) ([]store.Fit, error)
	// Attributes is the store of definitions, for the next two options.
	Attributes *definitions.Store
	// Families is the store of the families that Definitions has.
	Families *families.Families
	// Definitions are written before anything else; may be nil.
	Definitions *Definitions
	// Infer defines attributes that have no definition, before anything is written. Types and choices
	// are inferred from all values in the files, labels from the keys.
	Infer bool
	// Group is the group of products that gets the inferred definitions, and that the products are
	// assigned to. If it is empty, each product gets definitions of its own.
	Group string

	// Album takes the pictures of comments; nil leaves them out.
	Album *Album

	Stdin    io.Reader // os.Stdin if nil
	Progress progress.Options

	orders bool // the files have orders

	window int // for tests, instead of windowLines
}

// grace is the time that an interrupted import has to complete the window under way. It
// usually takes less than a second.
const grace = 10 * time.Second

// patience is the time during which an import retries a window while the store does not
// answer.
const patience = 30 * time.Minute

// StopError reports that an import ended early, and how to continue.
type StopError struct {
	File    string // as given
	Line    int64  // the last completed line, from 1
	Resumes bool   // the same import, run again, continues after that line
	Cause   error
}

// Error ends with the advice.
func (e *StopError) Error() string {
	cause := e.Cause.Error()
	if errors.Is(e.Cause, context.Canceled) {
		cause = "interrupted"
	}
	advice := "Run it again to continue from there"
	switch {
	case errs.CodeOf(e.Cause) == errs.BadUserInput: // it would end there again
		advice = "Mend the file and run it again: lines that are already written do not change"
	case !e.Resumes:
		advice = "Run it again: lines that are already written do not change"
	}
	return fmt.Sprintf("%s: the import stopped after line %s: %s. %s", shownName(e.File), humanize.Comma(e.Line),
		cause, advice)
}

// Unwrap returns the cause: the context's error if it ended, Unavailable if the store was
// throttled or down for half an hour.
func (e *StopError) Unwrap() error { return e.Cause }

// Import writes the comments of files in sequence; "-" is standard input. An invalid line does not
// stop the import but goes to a rejects file. If Import ends early it returns a StopError, and the
// summary of the completed part, including an earlier import that this one continues. Any other
// error means that nothing was written.
//
// When the context ends, Import completes the current window, if that takes less than 10 seconds. A
// blocked read of standard input cannot be canceled; its goroutine ends with the input.
func Import(ctx context.Context, st Importer, files []string, o Options) (Summary, error) {
	if err := ndjson.CheckDefaults(o.Defaults); err != nil {
		return Summary{}, err
	}
	return run(ctx, st.Table(), files, o, func(ctx context.Context, w *window) (func(int) (store.Outcome, error), error) {
		if err := o.Album.take(ctx, w); err != nil {
			return nil, err
		}
		outcomes, err := st.Import(ctx, w.comments)
		return func(i int) (store.Outcome, error) {
			if outcomes[i] == store.IsWithdrawn {
				return outcomes[i], errWithdrawn
			}
			return outcomes[i], nil
		}, err
	})
}

// run imports files in sequence, and adds up their results.
func run(ctx context.Context, table string, files []string, o Options, put put) (sum Summary, err error) {
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.window == 0 {
		o.window = windowLines
		if o.Album != nil {
			o.window = albumLines
		}
	}
	jobs, err := prepare(ctx, table, files, o)
	if err != nil {
		return sum, err
	}
	show := &progressOutput{Options: o.Progress}
	if err := o.Definitions.define(ctx, o, show); err != nil {
		return sum, err
	}
	if err := infer(ctx, jobs, o, show); err != nil {
		return sum, err
	}
	for _, j := range jobs {
		err := j.run(ctx, put, show)
		done := j.summary()
		sum.add(done.Counts)
		sum.Files = append(sum.Files, done)
		if err != nil {
			return sum, &StopError{File: j.name, Line: j.Lines, Resumes: j.canResume(), Cause: err}
		}
	}
	// Only after the last file: an import of several files that is run again skips completed ones.
	for _, j := range jobs {
		if err := j.forget(); err != nil {
			return sum, &StopError{File: j.name, Line: j.Lines, Resumes: true, Cause: err}
		}
	}
	return sum, nil
}
