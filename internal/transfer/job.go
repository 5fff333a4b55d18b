package transfer

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"product-comments/store"
)

// job is the import of one file. Its checkpoint is where it stands, whether or
// not that is kept in a file.
type job struct {
	name    string
	info    os.FileInfo // nil for standard input
	put     put
	options Options
	rejects *rejects
	learner *learner
	resumed int64 // lines that an earlier import did
	checkpoint
}

// put puts a window into the store. It returns what became of each comment or order, or
// why the store refused it.
type put func(context.Context, *window) (func(i int) (store.Outcome, error), error)

// keeps reports whether the job can go on after a stop: there is a place to keep
// checkpoints, and the file can be read again.
func (j *job) keeps() bool {
	return j.options.DataDir != "" && j.info != nil && j.info.Mode().IsRegular()
}

// run imports what is left of the file. The rejects file is closed, and opened
// again by the next job that shares it.
func (j *job) run(ctx context.Context, show *showing) (err error) {
	if j.resumed > 0 {
		show.resumed(j.name, j.checkpoint)
	}
	if j.Done {
		return nil
	}
	src, err := open(j.name, j.info, j.options.Stdin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.rejects.close()) }()
	p := start(ctx, src, j.options.reading(), j.options.window, lineEnd{j.Lines, j.Offset})
	defer p.stop()
	show.begin(j.name, src.size)
	defer func() { show.end(err == nil, j.summary(), j.options.reading().isSheet(j.name)) }()
	if err := j.learner.ahead(ctx, p); err != nil {
		return err
	}
	for {
		w, err := p.next(ctx)
		if err == io.EOF {
			j.Done = true
			return j.keep()
		}
		if err != nil {
			return err
		}
		if err := j.write(ctx, w); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		show.at(w.position, j.Counts)
	}
}

// write puts a window into the store, its rejects into their file, and only
// then counts and checkpoints it.
func (j *job) write(ctx context.Context, w *window) error {
	outcome := func(int) (store.Outcome, error) { return store.Unchanged, nil }
	if len(w.sources) > 0 {
		later, stop := outlive(ctx, j.options.grace)
		defer stop()
		var err error
		if outcome, err = j.put(later, w); err != nil {
			return err
		}
	}
	counts := w.count(j.name, outcome)
	if err := j.rejects.append(w.rejects); err != nil {
		return err
	}
	counts.Lines = w.lastLine - j.Lines
	j.Counts.add(counts)
	j.Unknown = j.Unknown.with(w.unknown)
	j.Fitting = j.Fitting.with(w.fitting)
	j.Offset = w.offset
	return j.keep()
}

func (j *job) keep() error {
	j.RejectsSize = j.rejects.size
	if !j.keeps() {
		return nil
	}
	return j.save(j.options.DataDir)
}

// forget ends an import that has nothing left to go on with.
func (j *job) forget() error {
	if !j.keeps() {
		return nil
	}
	return j.remove(j.options.DataDir)
}

func (j *job) summary() FileSummary {
	s := FileSummary{Name: j.name, Counts: j.Counts, Unknown: j.Unknown, ResumedAfter: j.resumed, fitting: j.Fitting}
	if j.Refused > 0 {
		s.Rejects = j.checkpoint.Rejects
	}
	return s
}

// outlive returns a context that ends the given time after the other one. Its
// stop function must be called.
func outlive(ctx context.Context, by time.Duration) (context.Context, func()) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(by)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-later.Done(): // stopped
		}
	})
	return later, func() { unwatch(); cancel() }
}
