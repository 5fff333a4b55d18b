package resolvers

import (
	"context"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"product-comments/store"
)

// batchWait is how long a loader collects ids before it reads them: siblings
// resolve at once, on a busy machine within a millisecond or two.
const batchWait = 2 * time.Millisecond

// loaders batch the reads of one request and remember what they read. They
// must not outlive it: another request wants fresh comments.
type loaders struct {
	byID *dataloader.Loader[string, *store.Comment]
}

type loadersKey struct{}

// WithLoaders returns the context of a request, with loaders of its own.
func WithLoaders(ctx context.Context, s *store.Store) context.Context {
	// The request's own context bounds its batches: the one that the loader
	// passes is detached from it, and has expired unless a time is set there.
	batch := func(_ context.Context, ids []string) []*dataloader.Result[*store.Comment] {
		results := make([]*dataloader.Result[*store.Comment], len(ids))
		comments, err := s.GetMany(ctx, ids)
		for i := range results {
			results[i] = &dataloader.Result[*store.Comment]{Error: err}
			if err == nil {
				results[i].Data = comments[i]
			}
		}
		return results
	}
	return context.WithValue(ctx, loadersKey{}, &loaders{
		byID: dataloader.NewBatchedLoader(batch,
			dataloader.WithBatchCapacity[string, *store.Comment](store.MaxBatchGet),
			dataloader.WithWait[string, *store.Comment](batchWait)),
	})
}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

// comment returns nil if there is none.
func (l *loaders) comment(ctx context.Context, id string) (*store.Comment, error) {
	return l.byID.Load(ctx, id)()
}

// comments returns nil for those that do not exist; errs is nil if all could
// be read. Neither waits nor reads for no ids.
func (l *loaders) comments(ctx context.Context, ids []string) (found []*store.Comment, errs []error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return l.byID.LoadMany(ctx, ids)()
}

// forget makes the next read of a comment a fresh one, after a mutation in the
// same request.
func (l *loaders) forget(ctx context.Context, id string) { l.byID.Clear(ctx, id) }
