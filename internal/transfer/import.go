package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"product-comments/internal/ndjson"
	"product-comments/internal/progress"
	"product-comments/internal/sheet"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/pack"
)

// Importer is what an import needs of the store.
type Importer interface {
	Table() string
	Import(ctx context.Context, comments []store.Comment) ([]store.Outcome, error)
}

// Options change how an import works. The zero value reads os.Stdin, keeps no
// checkpoints and shows nothing.
type Options struct {
	// DataDir is where checkpoints are kept, in imports/. If it is empty, an
	// import that ended early starts over when it is run again.
	DataDir string
	// Endpoint tells this store from others with a table of the same name. It
	// should be the same the next time, so for an embedded store not its port.
	Endpoint string
	// Rejects is the file for the refused lines of all files. If it is empty,
	// each file has its own in the current directory:
	// <base name>.rejects.ndjson, stdin.rejects.ndjson.
	Rejects string
	// Restart ignores checkpoints.
	Restart bool
	// Format says what the files are; by their names if it is empty.
	Format Format
	// Strict refuses lines with members that no field has, and sheets with columns
	// of which nothing is known. Otherwise these are counted, told and left out.
	Strict bool
	// Defaults are what lines and rows have that lack a field, as ndjson.Reader
	// takes them.
	Defaults map[string]string
	// Map and Dates say what the columns of sheets hold.
	Map   sheet.Map
	Dates sheet.Dates
	// Learn is told what the first comments say, before anything is written: at
	// most pack.Samples of them, in bounded memory, so that a pipe is as good as a
	// file. It is called once at most, and not if there are fewer than
	// pack.MinSamples. Nil for none.
	Learn func(context.Context, []pack.Words) error
	// Fit says how the attributes of comments go together with their definitions. What
	// does not convert is refused. Nil takes everything.
	Fit func(context.Context, []store.Comment) ([]store.Fit, error)
	// Attributes is where definitions are, if any of the next two is given.
	Attributes *attributes.Store
	// Definitions are made before anything else is written; nil for none.
	Definitions *Definitions
	// Infer defines attributes before anything is written; nil if they are left as
	// they are.
	Infer *Infer

	Stdin    io.Reader // os.Stdin if nil
	Progress io.Writer // nothing is shown if nil
	Terminal bool      // Progress is a terminal: show a bar, not lines

	orders bool // the files are of orders

	// For tests, instead of windowLines and defaultGrace.
	window int
	grace  time.Duration
}

// defaultGrace is how long an interrupted import may take to finish the window
// under way. It usually takes less than a second.
const defaultGrace = 10 * time.Second

// StopError says that an import ended early, and how to go on.
type StopError struct {
	File    string // as given
	Line    int64  // the last line that is done, from 1
	Resumes bool   // whether the same import, run again, continues after that line
	Cause   error
}

// Error ends with the advice.
func (e *StopError) Error() string {
	cause := e.Cause.Error()
	if errors.Is(e.Cause, context.Canceled) {
		cause = "interrupted"
	}
	advice := "Run it again to continue from there"
	if !e.Resumes {
		advice = "Run it again: what is already written does not change"
	}
	return fmt.Sprintf("%s: the import stopped after line %s: %s. %s", shownName(e.File), progress.Grouped(e.Line), cause, advice)
}

// Unwrap returns the cause: the context's error if that ended, Unavailable if
// the store was throttled or down for minutes.
func (e *StopError) Unwrap() error { return e.Cause }

// Import writes the comments of files, one after the other; "-" is standard
// input. A line that cannot be used does not stop it but goes to a rejects
// file. It returns a StopError if it ends early, together with what was done
// until then, counting what an earlier import did that this one continues with.
// Any other error means that nothing was written.
//
// When the context ends, the window under way is finished, if it can be within
// 10 seconds. A read of standard input that waits for more cannot be ended; it
// is left behind and ends with the input.
func Import(ctx context.Context, st Importer, files []string, o Options) (Summary, error) {
	o = o.withDefaults()
	if err := ndjson.CheckDefaults(o.Defaults); err != nil {
		return Summary{}, err
	}
	jobs, err := prepare(st.Table(), files, o)
	if err != nil {
		return Summary{}, err
	}
	show := newShowing(o)
	if err := o.Definitions.define(ctx, o.Attributes, show); err != nil {
		return Summary{}, err
	}
	if err := infer(ctx, jobs, o, show); err != nil {
		return Summary{}, err
	}
	return runAll(jobs, func(j *job) error {
		j.put = func(ctx context.Context, w *window) (func(int) (store.Outcome, error), error) {
			outcomes, err := st.Import(ctx, w.comments)
			return func(i int) (store.Outcome, error) {
				if outcomes[i] == store.IsWithdrawn {
					return outcomes[i], errWithdrawn
				}
				return outcomes[i], nil
			}, err
		}
		return j.run(ctx, show)
	})
}

// withDefaults returns the options with what stands in for what is not given.
func (o Options) withDefaults() Options {
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.window == 0 {
		o.window = windowLines
	}
	if o.grace == 0 {
		o.grace = defaultGrace
	}
	return o
}

// runAll runs jobs one after the other, and sums up what they did.
func runAll(jobs []*job, run func(*job) error) (Summary, error) {
	var sum Summary
	for _, j := range jobs {
		err := run(j)
		done := j.summary()
		sum.add(done.Counts)
		sum.Files = append(sum.Files, done)
		if err != nil {
			return sum, &StopError{File: j.name, Line: j.Lines, Resumes: j.keeps(), Cause: err}
		}
	}
	// Not before the last file is done: an import of several files that is
	// run again passes over those that are.
	for _, j := range jobs {
		if err := j.forget(); err != nil {
			return sum, &StopError{File: j.name, Line: j.Lines, Resumes: true, Cause: err}
		}
	}
	return sum, nil
}
