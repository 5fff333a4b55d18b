package demo

import (
	"context"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"product-comments/internal/files/photos"
	"product-comments/store"
)

// The state of a load, stored in the table.
const (
	mark    = "demo"
	loading = "loading" // before the first comment
	done    = "done"
)

// firstWindow is how many comments are written first: few, so that there is soon something to show.
const firstWindow = 200

// Load writes the demo comments into a table without comments. It continues an interrupted load,
// but never repeats a complete one, even if all comments were deleted since. It writes the newest
// comments of each product first, the bestseller's before all others, so that its first page is
// complete when begun is called. Orders, owned comments and photos follow; without a bucket there
// are no photos. The load takes some seconds in
// the embedded engine. It returns an Unavailable error if the store does not answer, or the
// context's error.
func Load(ctx context.Context, st *store.Store, bucket *photos.Bucket, log *slog.Logger, begun func()) error {
	if err := load(ctx, st, bucket, log, Comments, begun); err != nil {
		return fmt.Errorf("load the demo comments: %w; the next start continues", err)
	}
	return nil
}

// Holds reports whether a table has the demo comments or some of them. It returns an Unavailable
// error if the store does not answer.
func Holds(ctx context.Context, st *store.Store) (bool, error) {
	state, err := st.Settings().Note(ctx, mark)
	return state != "", err
}

func load(ctx context.Context, st *store.Store, bucket *photos.Bucket, log *slog.Logger, read func() []store.Comment, begun func()) error {
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
	log.Info("loading the demo comments", "comments", len(comments), "continued", state == loading)
	if err := importAll(ctx, st, bucket, comments, begun); err != nil {
		return err
	}
	if err := st.Settings().SetNote(ctx, mark, done); err != nil {
		return err
	}
	log.Info("loaded the demo comments", "comments", len(comments))
	return nil
}

// importAll writes the first comments, and calls begun. Then it writes the orders and the owned comments,
// and at last the other comments while it draws the photos, which takes a second or two.
func importAll(ctx context.Context, st *store.Store, bucket *photos.Bucket, comments []store.Comment, begun func()) error {
	first := min(firstWindow, len(comments))
	if _, err := st.Import(ctx, comments[:first]); err != nil {
		return err
	}
	begun()
	if err := loadPeople(ctx, st); err != nil {
		return err
	}
	writing, ctx := errgroup.WithContext(ctx)
	writing.Go(func() error { return addPictures(ctx, st, bucket, comments) })
	writing.Go(func() error {
		_, err := st.Import(ctx, comments[first:])
		return err
	})
	return writing.Wait()
}
