package resolvers

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"product-comments/access"
	"product-comments/graph/answer"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/votes"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/read/plan"
)

// batchWait is the time for which a loader collects keys. Sibling fields are resolved at the same
// time, on a busy machine within a millisecond or two.
const batchWait = 2 * time.Millisecond

// loaders batch and cache the reads of one request. Other requests have other loaders, so they
// read again.
type loaders struct {
	ctx   context.Context // of the request, see newLoader
	store *store.Store
	rules access.Rules

	counting sync.Mutex  // see prefetchMatching
	panicked atomic.Bool // see Recover
	warned   atomic.Bool // see warnUnavailable

	kept sync.Map // the loaders of values by their kinds, and page numbers by product
}

type loadersKey struct{}

// WithLoaders returns a context with loaders for a request, which respect what the viewer may see
// by the rules. Reads of staff bypass caches, because their decisions depend on them.
func WithLoaders(ctx context.Context, s *store.Store, rules access.Rules) context.Context {
	if access.IsStaff(access.From(ctx)) {
		ctx = store.Fresh(ctx)
	}
	return context.WithValue(ctx, loadersKey{}, &loaders{ctx: ctx, store: s, rules: rules})
}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

// forget discards cached results after a mutation of the same request, whose payload may select
// anything. Mutations run one after the other, so there are no concurrent reads.
func (l *loaders) forget() { l.kept.Clear() }

// comment reads a comment by id; nil if there is none that the viewer may see.
func (l *loaders) comment(ctx context.Context, id string) (*store.Comment, error) {
	return l.commentLoader().Load(ctx, id)()
}

// comments reads comments by id. at returns the i-th, nil if there is none that the viewer may see.
func (l *loaders) comments(ctx context.Context, ids []string) (at func(i int) (*store.Comment, error)) {
	var found []*store.Comment
	var failed []error // nil without errors
	if len(ids) > 0 {
		found, failed = l.commentLoader().LoadMany(ctx, ids)()
	}
	return func(i int) (*store.Comment, error) {
		if failed != nil && failed[i] != nil {
			return nil, failed[i]
		}
		return found[i], nil
	}
}

func (l *loaders) commentLoader() *dataloader.Loader[string, *store.Comment] {
	return loaderOf(l, "comments", func(ctx context.Context, ids []string) ([]*store.Comment, error) {
		return l.store.GetSeen(ctx, ids, func(c *store.Comment) bool { return l.canSee(ctx, c) })
	})
}

// canSee reports whether the viewer may see a comment.
func (l *loaders) canSee(ctx context.Context, c *store.Comment) bool {
	return c.State == item.Published || l.rules.CanSee(access.From(ctx), c.Owner)
}

// published reads a comment by id; nil if none is published. Also staff and authors are charged
// alike for one that is not and for one that does not exist.
func (l *loaders) published(ctx context.Context, id string) (*store.Comment, error) {
	return loaderOf(l, "published", func(ctx context.Context, ids []string) ([]*store.Comment, error) {
		return l.store.GetSeen(ctx, ids, func(c *store.Comment) bool { return c.State == item.Published })
	}).Load(ctx, id)()
}

// bytesOfStep is how many bytes of page numbers are read and kept in a step.
const bytesOfStep = 64

// numbersOf is the key of a product's page numbers.
type numbersOf string

// numbers returns the page numbers of the products of a list, which the fields of a request share.
func (l *loaders) numbers(of plan.Filter) (all []*store.PageNumbers) {
	for _, product := range of.Products() {
		made := l.store.PageNumbers().Of(product)
		made.Read = func(bytes int) error { return l.take(1 + bytes/bytesOfStep) }
		n, _ := l.kept.LoadOrStore(numbersOf(product), made)
		all = append(all, n.(*store.PageNumbers))
	}
	return all
}

// take adds steps to the request's. It returns the error of a request that takes too many.
func (l *loaders) take(steps int) error {
	m := answer.FromContext(l.ctx)
	if m.Stopped() == nil {
		m.AddSteps(steps)
	}
	return m.Stopped()
}

// matching is the result of CountMatching.
type matching struct {
	counts store.ByLanguage
	err    error
}

// matching counts the comments that match the attributes of a filter; nil if they are too many.
func (l *loaders) matching(ctx context.Context, f plan.Filter) (store.ByLanguage, error) {
	m, err := l.prefetchMatching(ctx, f)()
	if err = cmp.Or(err, m.err); err != nil {
		return nil, err
	}
	return m.counts, nil
}

// prefetchMatching starts counting the comments that match the attributes of a filter, one filter
// of the request after the other, so that it holds the comments of one, and ends when they take
// too many steps.
func (l *loaders) prefetchMatching(ctx context.Context, f plan.Filter) dataloader.Thunk[matching] {
	f = store.CountedAs(f)
	return loaderOf(l, "matching", func(ctx context.Context, filters []plan.Filter) ([]matching, error) {
		l.counting.Lock()
		defer l.counting.Unlock()
		out := make([]matching, len(filters))
		for i, f := range filters {
			out[i].counts, out[i].err = l.store.CountMatching(ctx, f)
		}
		return out, nil
	}).Load(ctx, f)
}

// statistics reads the statistics of a list: of all comments of its products, or of one language. It
// adds up those of a family.
func (l *loaders) statistics(ctx context.Context, of plan.Filter) (sum store.Statistics, err error) {
	all, failed := l.prefetchStatistics(ctx, of)()
	if err := cmp.Or(failed...); err != nil || len(all) == 1 {
		return all[0], err
	}
	for _, one := range all {
		sum = sum.Plus(one)
	}
	return sum, nil
}

// prefetchStatistics starts reading the statistics of a list, for a later call of statistics.
func (l *loaders) prefetchStatistics(ctx context.Context, of plan.Filter) dataloader.ThunkMany[store.Statistics] {
	var scopes []store.Scope
	for _, product := range of.Products() {
		scopes = append(scopes, store.Scope{ProductID: product, Language: string(of.Languages)})
	}
	return loaderOf(l, "statistics", l.store.Statistics).LoadMany(ctx, scopes)
}

// family reads a family by id; nil if there is none.
func (l *loaders) family(ctx context.Context, id string) (*store.Family, error) {
	return loaderOf(l, "families", l.store.Families().Get).Load(ctx, id)()
}

// familyOf reads the family of a product; nil if it has none.
func (l *loaders) familyOf(ctx context.Context, product string) (*store.Family, error) {
	return loaderOf(l, "families of products", l.store.Families().OfProducts).Load(ctx, product)()
}

// summary reads the statistics of an attribute.
func (l *loaders) summary(ctx context.Context, of store.Attribute) (store.Summary, error) {
	return loaderOf(l, "summaries", l.store.AttributeStats().Read).Load(ctx, of)()
}

// user reads a user's profile; nil if there is none.
func (l *loaders) user(ctx context.Context, username string) (*orders.User, error) {
	return loaderOf(l, "users", l.store.Orders().Users).Load(ctx, username)()
}

// lines reads the lines of an order.
func (l *loaders) lines(ctx context.Context, of orders.Ref) ([]orders.Line, error) {
	return loaderOf(l, "lines", l.store.Orders().Lines).Load(ctx, of)()
}

// order reads an order with its lines; nil if there is none.
func (l *loaders) order(ctx context.Context, id string) (*orders.Order, error) {
	return l.orderLoader().Load(ctx, id)()
}

func (l *loaders) orderLoader() *dataloader.Loader[string, *orders.Order] {
	return loaderOf(l, "orders", l.store.Orders().GetMany)
}

// request reads the review request of an order; nil if it has none.
func (l *loaders) request(ctx context.Context, orderID string) (*requests.Request, error) {
	return loaderOf(l, "requests", func(ctx context.Context, ids []string) ([]*requests.Request, error) {
		found, err := l.store.Requests().Of(ctx, ids)
		out := make([]*requests.Request, len(ids))
		for i, id := range ids {
			out[i] = found[id]
		}
		return out, err
	}).Load(ctx, orderID)()
}

// answered reads how many products of an order its buyer has commented on.
func (l *loaders) answered(ctx context.Context, orderID string) (int, error) {
	return loaderOf(l, "answered", func(ctx context.Context, ids []string) ([]int, error) {
		all, failed := l.orderLoader().LoadMany(ctx, ids)()
		if err := errors.Join(failed...); err != nil {
			return nil, err
		}
		return l.store.AnsweredCounts(ctx, all)
	}).Load(ctx, orderID)()
}

// queued reads the counts of the moderation queue.
func (l *loaders) queued(ctx context.Context) (store.QueueTotals, error) {
	return loaderOf(l, "queued", func(ctx context.Context, _ []struct{}) ([]store.QueueTotals, error) {
		totals, err := l.store.Moderation().Counts(ctx)
		return []store.QueueTotals{totals}, err
	}).Load(ctx, struct{}{})()
}

// vote reads the viewer's vote on a comment.
func (l *loaders) vote(ctx context.Context, id string) (votes.Cast, error) {
	return loaderOf(l, "votes", func(ctx context.Context, ids []string) ([]votes.Cast, error) {
		voter, _ := voterOf(ctx)
		return l.store.VotesOf(ctx, voter, ids)
	}).Load(ctx, id)()
}

// reported reads whether the viewer reported a comment.
func (l *loaders) reported(ctx context.Context, id string) (bool, error) {
	return loaderOf(l, "reported", func(ctx context.Context, ids []string) ([]bool, error) {
		return l.store.Moderation().ReportedBy(ctx, access.From(ctx).Subject, ids)
	}).Load(ctx, id)()
}

// looks reads who else looks at a comment.
func (l *loaders) looks(ctx context.Context, id string) ([]store.Look, error) {
	return loaderOf(l, "looks", func(ctx context.Context, ids []string) ([][]store.Look, error) {
		return l.store.Moderation().Looks(ctx, ids, access.From(ctx).Subject)
	}).Load(ctx, id)()
}

// wrote reads the places of the viewer's comments on a product.
func (l *loaders) wrote(ctx context.Context, product string) (store.Wrote, error) {
	all, err := l.wroteOn(ctx, []string{product})
	if err != nil {
		return store.Wrote{}, err
	}
	return all[0], nil
}

// wroteOn reads the places of the viewer's comments on products.
func (l *loaders) wroteOn(ctx context.Context, products []string) ([]store.Wrote, error) {
	all, failed := loaderOf(l, "wrote", func(ctx context.Context, products []string) ([]store.Wrote, error) {
		return l.store.Wrote(ctx, access.From(ctx).Subject, products)
	}).LoadMany(ctx, products)()
	return all, cmp.Or(failed...)
}

// loaderOf returns the loader of a kind of values. It is created when it is first used, which most
// requests do not.
func loaderOf[K comparable, V any](l *loaders, kind string, read readMany[K, V]) *dataloader.Loader[K, V] {
	loader, ok := l.kept.Load(kind)
	if !ok {
		loader, _ = l.kept.LoadOrStore(kind, newLoader(l.ctx, read))
	}
	return loader.(*dataloader.Loader[K, V])
}

// readMany reads values in the order of their keys. An error applies to every key.
type readMany[K comparable, V any] func(context.Context, []K) ([]V, error)

// newLoader returns a loader for the request of ctx.
func newLoader[K comparable, V any](ctx context.Context, read readMany[K, V]) *dataloader.Loader[K, V] {
	// Batches are read with the request's context. The loader passes a context that is detached
	// from it, and that has ended unless the loader has a timeout.
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
		dataloader.WithInputCapacity[K, V](store.MaxBatchGet), // memory of every request that loads
		dataloader.WithWait[K, V](batchWait))
}
