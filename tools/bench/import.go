package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/site/demo"
	"product-comments/store"
	"product-comments/store/comment/stats"
)

const (
	importRounds = 3
	lookEvery    = 50 * time.Millisecond
)

// load has the seconds after which comments were written into an empty table and counted, and the
// seconds of processors that the importer and the server took, by round.
type load struct{ written, counted, importer, server []float64 }

// measureImport imports comments into a new embedded engine while a server projects them, and starts
// the demo, until the statistics of all products are complete. With --against it alternates.
func measureImport(ctx context.Context, b *bench) error {
	all := demo.Comments()
	file, n := filepath.Join(b.dir, "import.ndjson"), b.flags.scaled(bulk)
	comments, err := b.importComments(ctx, n)
	if err == nil {
		err = writeFile(file, comments)
	}
	if err != nil {
		return err
	}
	names, programs := []string{service}, []string{filepath.Join(b.dir, service)}
	if b.flags.Against != "" {
		names, programs = append(names, againstName), append(programs, b.flags.Against)
	}
	imports, demos := make([]load, len(names)), make([]load, len(names))
	for range max(1, b.flags.scaled(importRounds)) {
		for i, program := range programs {
			reportProgress("%s: import and demo", names[i])
			if err := b.load(ctx, program, &imports[i], comments, file); err != nil {
				return err
			}
			if err := b.load(ctx, program, &demos[i], all, "", "--demo", "--moderation=post", "--hold-links"); err != nil {
				return err
			}
		}
	}
	b.line("%d comments imported while a server projects, and the demo's %d from its start, until all are counted; seconds, and seconds of processors:", n, len(all))
	b.columns("what | written, or serving | counted | comments/s | importer | server")
	for i, name := range names {
		for _, m := range []struct {
			what string
			load
			n int
		}{{"import", imports[i], n}, {"demo", demos[i], len(all)}} {
			b.row("%s, %s | %.2f | %.2f | %.0f | %.2f | %.2f", m.what, name, median(m.written), median(m.counted), float64(m.n)/median(m.counted), median(m.importer), median(m.server))
		}
	}
	b.end()
	return nil
}

// importComments returns n comments of the file, again and again under other ids, or generated ones.
func (b *bench) importComments(ctx context.Context, n int) (all []store.Comment, err error) {
	var from []store.Comment
	if b.flags.Data != "" {
		from, err = readFile(ctx, b.flags.Data)
	} else {
		for i := range bulkProducts {
			from = append(from, newComments(fmt.Sprintf("i%d-", i), fmt.Sprintf("import-%d", i), n/bulkProducts)...)
		}
	}
	for i := 0; err == nil && len(all) < n; i++ {
		c := from[i%len(from)]
		c.ID = fmt.Sprintf("%s-%d", c.ID, i/len(from))
		c.CreatedAt = c.CreatedAt.Add(time.Duration(i/len(from)) * time.Hour)
		all = append(all, c)
	}
	return all, err
}

// load starts a program on an empty directory, imports a file unless its name is empty, and waits
// until the comments are counted.
func (b *bench) load(ctx context.Context, program string, to *load, comments []store.Comment, file string, flags ...string) (err error) {
	dir, err := os.MkdirTemp(b.dir, "load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stopServers(), os.RemoveAll(dir)) }()
	began := time.Now()
	server, err := b.start(ctx, &server{}, program, append([]string{"serve", "--data-dir=" + dir, "--engine=embedded", "--admin-addr=", "--log-level=warn"}, flags...))
	if err != nil {
		return err
	}
	if file != "" {
		began = time.Now()
		importing := exec.CommandContext(ctx, program, "import", "--data-dir="+dir, "--engine=embedded", file)
		if output, err := importing.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, output)
		}
		state := importing.ProcessState
		to.importer = append(to.importer, (state.UserTime() + state.SystemTime()).Seconds())
	} else {
		to.importer = append(to.importer, 0)
	}
	to.written = append(to.written, time.Since(began).Seconds())
	if err := awaitCounts(ctx, dir, comments); err != nil {
		return err
	}
	to.counted = append(to.counted, time.Since(began).Seconds())
	to.server = append(to.server, server.processorTime().Seconds())
	n := len(to.counted) - 1
	reportProgress("written after %.2f s, counted after %.2f s, %.2f and %.2f s of processors", to.written[n], to.counted[n], to.importer[n], to.server[n])
	return nil
}

// awaitCounts waits until the statistics of each product count its comments.
func awaitCounts(ctx context.Context, dir string, comments []store.Comment) (err error) {
	want, scopes := map[string]int{}, []stats.Scope(nil)
	for _, c := range comments {
		if want[c.ProductID]++; want[c.ProductID] == 1 {
			scopes = append(scopes, stats.Scope{ProductID: c.ProductID})
		}
	}
	engine, err := embedded.Open(ctx, embedded.Options{DataDir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	st := store.New(engine, "comments", store.Options{})
	for {
		counted, err := st.Statistics(ctx, scopes)
		if err != nil {
			return err
		}
		missing := 0
		for i, s := range counted {
			missing += max(0, want[scopes[i].ProductID]-s.Total())
		}
		if missing == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}
