package demo

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/pack"
)

// The mark that a load leaves in the table, and its states.
const (
	mark    = "demo"
	loading = "loading" // from before the first comment
	done    = "done"
)

// window is how many comments are written at once. The first window is small, so
// that there soon is something to look at.
const (
	window      = 1000
	firstWindow = 200
)

// toldEvery is the time between two lines of the log about how far a load is.
const toldEvery = 2 * time.Second

// Load puts the demo comments into a table that holds no comments. A load that
// was interrupted is completed; one that was not is never repeated, even if
// all comments were deleted since. Each product's newest comments come first, the
// bestseller's before all others, so that the first page of it is what it will be
// when begun is called. What people ordered and wrote comes next. The whole takes some
// seconds in the embedded engine. It returns an Unavailable error if the store does not
// answer, or the context's error.
func Load(ctx context.Context, st *store.Store, log *slog.Logger, begun func()) error {
	if err := load(ctx, st, log, Comments, begun); err != nil {
		return fmt.Errorf("load the demo comments: %w; the next start continues", err)
	}
	return nil
}

// Holds reports whether a table has the demo, or a part of it. It returns an Unavailable
// error if the store does not answer.
func Holds(ctx context.Context, st *store.Store) (bool, error) {
	state, err := st.Settings().Note(ctx, mark)
	return state != "", err
}

func load(ctx context.Context, st *store.Store, log *slog.Logger, read func() []store.Comment, begun func()) error {
	state, err := st.Settings().Note(ctx, mark)
	if err != nil || state == done {
		return err
	}
	if state == "" {
		empty, err := st.Empty(ctx)
		if err != nil {
			return err
		}
		if !empty {
			log.Info("the table has comments, so the demo comments are not loaded")
			return nil
		}
		if err := st.Settings().SetNote(ctx, mark, loading); err != nil {
			return err
		}
	}
	comments := read()
	if err := define(ctx, st); err != nil {
		return err
	}
	if err := learn(ctx, st, comments); err != nil {
		return err
	}
	log.Info("loading the demo comments", "comments", len(comments), "continued", state == loading)
	if err := importAll(ctx, st, log, comments, begun); err != nil {
		return err
	}
	if err := st.Settings().SetNote(ctx, mark, done); err != nil {
		return err
	}
	log.Info("loaded the demo comments", "comments", len(comments))
	return nil
}

// learn makes a dictionary, unless there is one or comments are to be plain: pages
// of packed comments read less.
func learn(ctx context.Context, st *store.Store, comments []store.Comment) error {
	lacks, err := st.Settings().LacksDictionary(ctx)
	if err != nil || !lacks {
		return err
	}
	if words := samples(comments); len(words) >= pack.MinSamples {
		_, err = st.Packing().Train(ctx, 0, words)
	}
	return err
}

// samples returns comments to train a dictionary on, from all over the demo.
func samples(comments []store.Comment) (out []pack.Words) {
	for i := range comments {
		if c := &comments[i]; i%5 == 0 && c.Text != "" {
			out = append(out, c.Words())
		}
	}
	return out
}

// importAll writes the comments in windows. After the first it calls begun, and adds
// what people ordered and wrote.
func importAll(ctx context.Context, st *store.Store, log *slog.Logger, comments []store.Comment, begun func()) error {
	start := time.Now()
	first := comments[:min(firstWindow, len(comments))]
	if _, err := st.Import(ctx, first); err != nil {
		return err
	}
	begun()
	if err := loadPeople(ctx, st); err != nil {
		return err
	}
	n, told := len(first), start
	for batch := range slices.Chunk(comments[n:], window) {
		if _, err := st.Import(ctx, batch); err != nil {
			return err
		}
		n += len(batch)
		if now := time.Now(); now.Sub(told) >= toldEvery {
			told = now
			left := time.Duration(float64(now.Sub(start)) / float64(n) * float64(len(comments)-n))
			log.Info("loading the demo comments", "done", n, "of", len(comments), "left", left.Round(time.Second))
		}
	}
	return nil
}
