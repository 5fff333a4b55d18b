package resolvers

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"product-comments/access"
	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/orders"
	"product-comments/store/reads"
	"product-comments/store/stats"
	"product-comments/store/summaries"
	"product-comments/store/summary"
	"product-comments/store/votes"
)

// batchWait is how long a loader collects keys before it reads them. Sibling fields
// are resolved at the same time, on a busy machine within a millisecond or two.
const batchWait = 2 * time.Millisecond

// loaders batch the reads of one request and remember the results. Another request
// must read again, so it gets loaders of its own.
type loaders struct {
	ctx   context.Context // the request's own, see newLoader
	store *store.Store
	rules access.Rules

	panicked atomic.Bool // see Recover
	warned   atomic.Bool // see warnUnavailable

	remembered
}

// remembered is what the loaders have read.
type remembered struct {
	byID    lazy[string, *store.Comment]
	byScope lazy[stats.Scope, stats.Statistics]
	byKey   lazy[summaries.Key, map[string]summary.Summary]
	// byComment has how the viewer voted.
	byComment lazy[string, votes.Cast]
	// byProduct has what the viewer wrote about a product.
	byProduct lazy[string, store.Wrote]
	byName    lazy[string, *orders.User]
	byOrder   lazy[orders.Ref, []orders.Line]
	ofQueue   lazy[struct{}, moderation.Totals]
}

type loadersKey struct{}

// WithLoaders returns the context of a request, with loaders of its own, which show the
// viewer what they may see by the rules. Staff act on what they see, so nothing that they
// see was kept.
func WithLoaders(ctx context.Context, s *store.Store, rules access.Rules) context.Context {
	if access.IsStaff(access.From(ctx)) {
		ctx = reads.Fresh(ctx)
	}
	return context.WithValue(ctx, loadersKey{}, &loaders{ctx: ctx, store: s, rules: rules})
}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

// forget makes all reads fresh ones, after a mutation in the same request: what it
// returns can ask for anything. Mutations run one after the other, so nothing else reads
// in the meantime.
func (l *loaders) forget() { l.remembered = remembered{} }

// comment reads a comment by its id; nil if there is none that the viewer sees.
func (l *loaders) comment(ctx context.Context, id string) (*store.Comment, error) {
	return l.commentLoader().Load(ctx, id)()
}

// comments reads comments by their ids: same order, same length, nil where there is
// none that the viewer sees. errs is nil if all could be read. Without ids it returns at once.
func (l *loaders) comments(ctx context.Context, ids []string) (found []*store.Comment, errs []error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return l.commentLoader().LoadMany(ctx, ids)()
}

func (l *loaders) commentLoader() *dataloader.Loader[string, *store.Comment] {
	return l.byID.get(l.ctx, func(ctx context.Context, ids []string) ([]*store.Comment, error) {
		return l.store.GetSeen(ctx, ids, func(c *store.Comment) bool { return l.canSee(ctx, c) })
	})
}

// canSee reports whether the viewer canSee a comment: everybody canSee what is published.
func (l *loaders) canSee(ctx context.Context, c *store.Comment) bool {
	return c.State == item.Published || l.rules.CanSee(access.From(ctx), c.Owner)
}

// statistics reads the statistics of a scope.
func (l *loaders) statistics(ctx context.Context, scope stats.Scope) (stats.Statistics, error) {
	return l.expect(ctx, scope)()
}

// expect begins to read the statistics of a scope, for a call of statistics that
// follows.
func (l *loaders) expect(ctx context.Context, scope stats.Scope) dataloader.Thunk[stats.Statistics] {
	return l.byScope.get(l.ctx, l.store.Statistics).Load(ctx, scope)
}

// summaries reads the statistics of a part of a product's attributes.
func (l *loaders) summaries(ctx context.Context, at summaries.Key) (map[string]summary.Summary, error) {
	return l.byKey.get(l.ctx, l.store.Summaries().Read).Load(ctx, at)()
}

// user reads a person; nil if nothing is kept about them.
func (l *loaders) user(ctx context.Context, username string) (*orders.User, error) {
	return l.byName.get(l.ctx, l.store.Orders().Users).Load(ctx, username)()
}

// lines reads the lines of an order.
func (l *loaders) lines(ctx context.Context, of orders.Ref) ([]orders.Line, error) {
	return l.byOrder.get(l.ctx, l.store.Orders().Lines).Load(ctx, of)()
}

// queued reads how many comments are in the queue of moderators.
func (l *loaders) queued(ctx context.Context) (moderation.Totals, error) {
	return l.ofQueue.get(l.ctx, func(ctx context.Context, _ []struct{}) ([]moderation.Totals, error) {
		totals, err := l.store.Moderation().Counts(ctx)
		return []moderation.Totals{totals}, err
	}).Load(ctx, struct{}{})()
}

// vote reads how the viewer voted on a comment.
func (l *loaders) vote(ctx context.Context, id string) (votes.Cast, error) {
	return l.byComment.get(l.ctx, func(ctx context.Context, ids []string) ([]votes.Cast, error) {
		voter, _ := voterOf(ctx)
		return l.store.VotesOf(ctx, voter, ids)
	}).Load(ctx, id)()
}

// wrote reads which comments about a product the viewer wrote.
func (l *loaders) wrote(ctx context.Context, product string) (store.Wrote, error) {
	return l.byProduct.get(l.ctx, func(ctx context.Context, products []string) ([]store.Wrote, error) {
		return l.store.Wrote(ctx, access.From(ctx).Subject, products)
	}).Load(ctx, product)()
}

// lazy is a loader that is made when it is first used, which in most requests is
// never.
type lazy[K comparable, V any] struct {
	once   sync.Once
	loader *dataloader.Loader[K, V]
}

func (l *lazy[K, V]) get(ctx context.Context, read readMany[K, V]) *dataloader.Loader[K, V] {
	l.once.Do(func() { l.loader = newLoader(ctx, read) })
	return l.loader
}

// readMany reads values in the order of their keys. An error is that of every key.
type readMany[K comparable, V any] func(context.Context, []K) ([]V, error)

// newLoader returns a loader for the request of ctx.
func newLoader[K comparable, V any](ctx context.Context, read readMany[K, V]) *dataloader.Loader[K, V] {
	// Batches are read with the request's context. The loader passes one that is
	// detached from it, and that has ended unless the loader has a timeout.
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
