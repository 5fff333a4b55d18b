package demo

import (
	"context"
	"fmt"
	"iter"
	"log/slog"

	"product-comments/store"
	"product-comments/store/pack"
)

// The mark that a load leaves in the table, and its states.
const (
	mark    = "demo"
	loading = "loading" // from before the first comment
	done    = "done"
)

// window is how many comments are written at once.
const window = 1000

// Load puts the demo comments into a table that holds no comments. A load that
// was interrupted is completed; one that was not is never repeated, even if
// all comments were deleted since. It takes a few seconds in the embedded
// engine and returns an Unavailable error if the store does not answer, or the
// context's error.
func Load(ctx context.Context, st *store.Store, log *slog.Logger) error {
	if err := load(ctx, st, log, Comments()); err != nil {
		return fmt.Errorf("load the demo comments: %w; the next start goes on with it", err)
	}
	return nil
}

func load(ctx context.Context, st *store.Store, log *slog.Logger, comments iter.Seq[store.Comment]) error {
	state, err := st.Settings().Marked(ctx, mark)
	if err != nil || state == done {
		return err
	}
	if state == "" {
		empty, err := st.Empty(ctx)
		if err != nil {
			return err
		}
		if !empty {
			log.Info("the table holds comments already, so the demo comments are not loaded")
			return nil
		}
		if err := st.Settings().Mark(ctx, mark, loading); err != nil {
			return err
		}
	}
	if words := samples(comments); state == "" && len(words) >= pack.MinSamples { // pages of packed comments read less
		if _, err := st.TrainTexts(ctx, words); err != nil {
			return err
		}
	}
	log.Info("loading the demo comments", "comments", Count(), "continued", state == loading)
	n, err := importAll(ctx, st, log, comments)
	if err != nil {
		return err
	}
	if err := st.Settings().Mark(ctx, mark, done); err != nil {
		return err
	}
	log.Info("loaded the demo comments", "comments", n)
	return nil
}

// samples returns comments to train a dictionary on, from all over the demo.
func samples(comments iter.Seq[store.Comment]) []pack.Words {
	var out []pack.Words
	n := 0
	for c := range comments {
		if n++; n%5 == 0 && c.Text != "" {
			out = append(out, pack.Words{Author: c.Author, Title: c.Title, Text: c.Text})
		}
	}
	return out
}

// importAll writes the comments in windows and returns how many there are.
func importAll(ctx context.Context, st *store.Store, log *slog.Logger, comments iter.Seq[store.Comment]) (n int, err error) {
	next, stop := iter.Pull(comments)
	defer stop()
	for {
		batch := make([]store.Comment, 0, window)
		for len(batch) < window {
			c, more := next()
			if !more {
				break
			}
			batch = append(batch, c)
		}
		if len(batch) == 0 {
			return n, nil
		}
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if _, err := st.Import(ctx, batch); err != nil {
			return n, err
		}
		n += len(batch)
		log.Debug("loading the demo comments", "done", n)
	}
}
