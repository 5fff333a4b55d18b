package resolvers

import (
	"context"
	"sync"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"product-comments/store"
	"product-comments/store/stats"
)

// batchWait is how long a loader collects keys before it reads them: siblings
// resolve at once, on a busy machine within a millisecond or two.
const batchWait = 2 * time.Millisecond

// loaders batch the reads of one request and remember what they read. They
// must not outlive it: another request wants fresh comments.
type loaders struct {
	ctx   context.Context // the request's own, see newLoader
	store *store.Store

	byID    lazy[string, *store.Comment]
	byScope lazy[stats.Scope, stats.Statistics]
}

type loadersKey struct{}

// WithLoaders returns the context of a request, with loaders of its own.
func WithLoaders(ctx context.Context, s *store.Store) context.Context {
	return context.WithValue(ctx, loadersKey{}, &loaders{ctx: ctx, store: s})
}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

// comment returns nil if there is none.
func (l *loaders) comment(ctx context.Context, id string) (*store.Comment, error) {
	return l.ids().Load(ctx, id)()
}

// comments returns nil for those that do not exist; errs is nil if all could
// be read. Neither waits nor reads for no ids.
func (l *loaders) comments(ctx context.Context, ids []string) (found []*store.Comment, errs []error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return l.ids().LoadMany(ctx, ids)()
}

// forget makes the next read of a comment a fresh one, after a mutation in the
// same request.
func (l *loaders) forget(ctx context.Context, id string) { l.ids().Clear(ctx, id) }

// statistics returns those of a scope. No mutation makes them forgotten: they
// do not know of it yet.
func (l *loaders) statistics(ctx context.Context, scope stats.Scope) (stats.Statistics, error) {
	return l.scopes().Load(ctx, scope)()
}

// expect begins to read statistics that will be asked for in a moment.
func (l *loaders) expect(ctx context.Context, scope stats.Scope) { l.scopes().Load(ctx, scope) }

func (l *loaders) ids() *dataloader.Loader[string, *store.Comment] {
	return l.byID.get(l.ctx, l.store.GetMany)
}

func (l *loaders) scopes() *dataloader.Loader[stats.Scope, stats.Statistics] {
	return l.byScope.get(l.ctx, l.store.Statistics)
}

// lazy is a loader that is made when it is first needed: in most requests never.
type lazy[K comparable, V any] struct {
	once   sync.Once
	loader *dataloader.Loader[K, V]
}

func (l *lazy[K, V]) get(ctx context.Context, read func(context.Context, []K) ([]V, error)) *dataloader.Loader[K, V] {
	l.once.Do(func() { l.loader = newLoader(ctx, read) })
	return l.loader
}

// newLoader returns a loader for one request. read returns values in the order
// of the keys, or an error that is then everyone's.
func newLoader[K comparable, V any](ctx context.Context, read func(context.Context, []K) ([]V, error)) *dataloader.Loader[K, V] {
	// The request's own context bounds its batches: the one that the loader
	// passes is detached from it, and has expired unless a time is set there.
	batch := func(_ context.Context, keys []K) []*dataloader.Result[V] {
		results := make([]*dataloader.Result[V], len(keys))
		values, err := read(ctx, keys)
		for i := range results {
			results[i] = &dataloader.Result[V]{Error: err}
			if err == nil {
				results[i].Data = values[i]
			}
		}
		return results
	}
	return dataloader.NewBatchedLoader(batch,
		dataloader.WithBatchCapacity[K, V](store.MaxBatchGet),
		dataloader.WithWait[K, V](batchWait))
}
