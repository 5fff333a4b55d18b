package transfer

import (
	"fmt"
	"os"
	"path/filepath"
)

// prepare looks at every file, and at what is known of earlier imports, so
// that what is wrong with the last file is found before the first is written.
func prepare(table string, files []string, o Options) ([]*job, error) {
	if o.DataDir != "" {
		if err := os.MkdirAll(filepath.Join(o.DataDir, importsDir), 0o700); err != nil {
			return nil, fmt.Errorf("checkpoints: %w", err)
		}
	}
	var jobs []*job
	learner := &learner{learn: o.Learn}
	seen := map[string]bool{}
	for _, name := range files {
		info, err := inspect(name)
		if err != nil {
			return nil, err
		}
		path := name
		if name != stdin {
			if path, err = filepath.Abs(name); err != nil {
				return nil, err
			}
		}
		if seen[path] {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		seen[path] = true
		if err := o.reading().try(name, info); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		j := &job{name: name, info: info, options: o, learner: learner}
		if j.keeps() {
			id := identity{File: path, Size: info.Size(), Modified: info.ModTime().UTC(), Table: table, Endpoint: o.Endpoint, Reading: o.reading().spelled(name)}
			j.checkpoint = checkpoint{identity: id}
			if !o.Restart {
				j.checkpoint = load(o.DataDir, id)
			}
			j.resumed = j.Lines
		}
		jobs = append(jobs, j)
	}
	return jobs, shareRejects(jobs, o.Rejects)
}

// shareRejects gives every job its rejects file, and jobs with the same one
// that same one.
func shareRejects(jobs []*job, given string) error {
	byPath := map[string]*rejects{}
	for _, j := range jobs {
		name := given
		if name == "" {
			name = rejectsName(j.name)
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		if byPath[path] == nil {
			byPath[path] = &rejects{path: path}
		}
		j.rejects = byPath[path]
		if j.checkpoint.Rejects == path {
			j.rejects.keep = max(j.rejects.keep, j.RejectsSize)
		}
		j.checkpoint.Rejects = path
	}
	for path := range byPath {
		info, err := os.Stat(path)
		for _, j := range jobs {
			if err == nil && j.info != nil && os.SameFile(info, j.info) {
				return fmt.Errorf("the rejects file %s is one of the files to import: name another one", j.name)
			}
		}
	}
	for _, r := range byPath {
		if err := r.begin(); err != nil {
			return err
		}
	}
	return nil
}
