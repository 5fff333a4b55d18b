package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"product-comments/internal/files/file"
	"product-comments/store"
)

// job is the import of one file. Its checkpoint holds the progress, even if it is not stored.
type job struct {
	name    string
	info    os.FileInfo // nil for standard input
	options Options
	rejects *rejects
	resumed int64 // lines that an earlier import completed
	checkpoint
}

// put writes a window to the store. It returns the outcome of each comment or order, or the error
// that refused it.
type put func(context.Context, *window) (func(i int) (store.Outcome, error), error)

// canResume reports whether the import can be continued after a stop: there is a directory for
// checkpoints, and the file can be read again.
func (j *job) canResume() bool {
	return j.options.DataDir != "" && j.info != nil && j.info.Mode().IsRegular()
}

// run imports the rest of the file. It closes the rejects file, which the next job that shares it
// opens again.
func (j *job) run(ctx context.Context, put put, show *progressOutput) (err error) {
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
	show.begin(j.name, src.size)
	o := j.options
	if fit := o.Fit; fit != nil {
		o.Fit = func(ctx context.Context, all []store.Comment) (fits []store.Fit, err error) {
			err = show.insist(ctx, func() (err error) { fits, err = fit(ctx, all); return err })
			return fits, err
		}
	}
	defer func() {
		show.end(err == nil, j.summary(), o.isSheet(j.name))
		if src.trailing.Load() {
			show.Printf("%s: other bytes follow the gzip data; they are ignored", shownName(j.name))
		}
	}()
	for w, err := range src.windows(ctx, &o, lineEnd{j.Lines, j.Offset}) {
		if err != nil {
			return err
		}
		if len(w.usual) > 0 {
			show.bar.Say(fmt.Sprintf("%s: read the columns %s; --map has other fields for them", show.name, strings.Join(w.usual, ", ")))
		}
		if err := j.write(ctx, w, put, show); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		show.update(w.position, j.Counts)
	}
	j.Done = true
	return j.saveCheckpoint()
}

// write writes a window to the store and its rejects to their file, and then counts and
// checkpoints it.
func (j *job) write(ctx context.Context, w *window, put put, show *progressOutput) error {
	outcome := func(int) (store.Outcome, error) { return store.Unchanged, nil }
	if len(w.sources) > 0 {
		later, stop := outlive(ctx)
		defer stop()
		err := show.insist(ctx, func() (err error) { outcome, err = put(later, w); return err })
		if err != nil {
			return err
		}
	}
	w.count(j.name, j.Lines, outcome)
	if err := j.rejects.append(w.rejects); err != nil {
		return err
	}
	j.Counts.add(w.Counts)
	j.notes.add(w.notes)
	j.Offset = w.offset
	return j.saveCheckpoint()
}

// saveCheckpoint replaces the checkpoint atomically.
func (j *job) saveCheckpoint() error {
	j.RejectsSize, j.Saved = j.rejects.size, time.Now().UTC().Truncate(time.Second)
	if !j.canResume() {
		return nil
	}
	b, err := json.MarshalIndent(j.checkpoint, "", "  ")
	if err == nil {
		err = file.Replace(j.path(j.options.DataDir), append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// forget removes the checkpoint of a complete import.
func (j *job) forget() error {
	if !j.canResume() {
		return nil
	}
	if err := os.Remove(j.path(j.options.DataDir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func (j *job) summary() FileSummary {
	s := FileSummary{Name: j.name, Counts: j.Counts, ResumedAfter: j.resumed, notes: j.notes}
	if j.Refused+j.PicturesRefused > 0 {
		s.Rejects = j.checkpoint.Rejects
	}
	return s
}

// outlive returns a context that ends some time after ctx. Its stop function must be called.
func outlive(ctx context.Context) (context.Context, func()) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return later, func() { unwatch(); cancel() }
}

// prepare checks every file and earlier checkpoint, so that a problem of the last file is found
// before the first one is written.
func prepare(ctx context.Context, table string, files []string, o Options) ([]*job, error) {
	if o.DataDir != "" {
		if err := os.MkdirAll(filepath.Join(o.DataDir, importsDir), 0o700); err != nil {
			return nil, fmt.Errorf("checkpoints: %w", err)
		}
	}
	var jobs []*job
	seen, shared := map[string]bool{}, map[string]*rejects{}
	for _, name := range files {
		info, err := inspect(name)
		if err != nil {
			return nil, err
		}
		path := name
		if name != stdin {
			path, err = filepath.Abs(name)
		}
		rejected, wrong := filepath.Abs(cmp.Or(o.Rejects, rejectsName(name)))
		switch err := errors.Join(err, wrong); {
		case err != nil:
			return nil, err
		case seen[path]:
			return nil, fmt.Errorf("%s is given twice", name)
		}
		seen[path] = true
		if err := o.check(ctx, name, info); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		j := &job{name: name, info: info, options: o}
		if j.canResume() {
			id := identity{File: path, Size: info.Size(), Modified: info.ModTime().UTC(), Table: table,
				Endpoint: o.Endpoint, Reading: o.fingerprint(name)}
			j.checkpoint = checkpoint{identity: id}
			if !o.Restart {
				j.checkpoint = load(o.DataDir, id)
			}
			j.resumed = j.Lines
		}
		if shared[rejected] == nil {
			shared[rejected] = &rejects{path: rejected}
		}
		if j.rejects = shared[rejected]; j.checkpoint.Rejects == rejected {
			j.rejects.keep = max(j.rejects.keep, j.RejectsSize)
		}
		j.checkpoint.Rejects = rejected
		jobs = append(jobs, j)
	}
	return jobs, beginRejects(jobs, shared)
}

// beginRejects begins the rejects files, none of which may be one of the files to import.
func beginRejects(jobs []*job, all map[string]*rejects) error {
	for path := range all {
		info, err := os.Stat(path)
		for _, j := range jobs {
			if err == nil && j.info != nil && os.SameFile(info, j.info) {
				return fmt.Errorf("the rejects file %s is one of the files to import: name another one", j.name)
			}
		}
	}
	for _, r := range all {
		if err := r.begin(); err != nil {
			return err
		}
	}
	return nil
}
