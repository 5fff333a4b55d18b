package counts

import (
	"context"
	"maps"
	"slices"
	"time"

	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/derive/pending"
	"product-comments/store/derive/pending/names"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Counts reads the statistics of scopes, in the order of the scopes. It costs a read of a small
// item for each; up to 100 are one call. The statistics follow comments within moments, and include
// acknowledged writes of this process. With a context of shared.Fresh, Counts reads all items and
// uses no cache. If the statistics are not maintained, it returns an Unavailable error: it never
// returns wrong numbers.
func (s *Statistics) Counts(ctx context.Context, scopes []stats.Scope) ([]stats.Statistics, error) {
	var out []stats.Statistics
	err := index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		out, newer, err = s.countsAs(ctx, scopes, now.Generation)
		return newer, err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Total returns the current number of counted comments of a product, strongly consistent. It
// returns an Unavailable error if the statistics are not maintained.
func (s *Statistics) Total(ctx context.Context, product string) (int, error) {
	it, generation, err := s.strong(ctx, product)
	return it.atGeneration(generation).Total(), err
}

// Empty reports whether no comment of a product is counted, and no pending write of this process
// has a comment without definitions, which has no entries in the attribute index before a backfill.
// It reads strongly consistent. It returns an Unavailable error if the statistics are not
// maintained.
func (s *Statistics) Empty(ctx context.Context, product string) (bool, error) {
	it, generation, err := s.strong(ctx, product)
	left := slices.ContainsFunc(s.pending.Unprojected(product, it.NamesAs(generation), s.t.Now()), func(w pending.Write) bool {
		_, after := w.Shown()
		return after != nil && after.Defined == ""
	})
	return it.atGeneration(generation).Total() == 0 && !left, err
}

// strong returns a product's item, strongly consistent, and the current generation.
func (s *Statistics) strong(ctx context.Context, product string) (it statisticsItem, generation int, err error) {
	scope := stats.Scope{ProductID: product}
	read, err := s.read(ctx, []stats.Scope{scope}, true)
	if err != nil {
		return it, 0, err
	}
	now, err := s.settings.Read(ctx) // afterwards, so that the item is not newer
	if err != nil {
		return it, 0, err
	}
	return read[scope], now.Generation, now.Trusted()
}

// Names returns the names of the writes to a product that all indexes contain, as a generation of
// statistics knows.
func (s *Statistics) Names(ctx context.Context, product string, generation int) (names.Set, error) {
	scope := stats.Scope{ProductID: product}
	read, err := s.read(ctx, []stats.Scope{scope}, false)
	return read[scope].NamesAs(generation), err
}

// countsAs returns the statistics that a generation sees; newer is true if some are of a newer
// generation.
func (s *Statistics) countsAs(ctx context.Context, scopes []stats.Scope, generation int) (out []stats.Statistics, newer bool, err error) {
	out = make([]stats.Statistics, len(scopes))
	items := make(map[stats.Scope]statisticsItem, len(scopes))
	var missing []stats.Scope
	fresh := shared.IsFresh(ctx)
	for _, scope := range scopes {
		if it, ok := s.counts.Kept(s.countsKey(scope, generation)); ok && !fresh {
			items[scope] = it
		} else {
			missing = append(missing, scope)
		}
	}
	switch {
	case len(missing) == 0:
	case len(missing) == 1 && !fresh: // the usual case: concurrent callers share the read
		if items[missing[0]], err = s.shared(ctx, s.counts, s.countsKey(missing[0], generation)); err != nil {
			return nil, false, err
		}
	default:
		read, err := s.read(ctx, missing, false)
		if err != nil {
			return nil, false, err
		}
		maps.Copy(items, read)
	}
	for i, scope := range scopes {
		newer = newer || items[scope].Generation > generation
		out[i] = s.withPending(scope, items[scope], generation).Statistics
	}
	return out, newer, nil
}

// withPending returns the statistics together with this process's pending writes. They are for
// clients: the projector uses only records of the stream.
func (s *Statistics) withPending(scope stats.Scope, it statisticsItem, generation int) stats.Measured {
	sum := stats.Deltas{}
	for _, w := range s.pending.Unprojected(scope.ProductID, it.NamesAs(generation), s.t.Now()) {
		before, after := w.Counted()
		sum.Change(before, after, generation)
	}
	return it.atGeneration(generation).With(sum[scope])
}

// shared returns the statistics of a scope from a cache, or reads them for all concurrent callers.
func (s *Statistics) shared(ctx context.Context, kept *shared.Reads[countsKey, statisticsItem], k countsKey) (statisticsItem, error) {
	read := func(ctx context.Context) (statisticsItem, error) {
		read, err := s.read(ctx, []stats.Scope{k.scope}, false)
		return read[k.scope], err
	}
	it, err := kept.Do(ctx, k, read, always)
	return it, table.Failed("read the statistics", err)
}

// always keeps what was read: statistics lag behind writes, cached or not.
func always(time.Time) bool { return true }

// countsKey is the key of statistics in a cache.
type countsKey struct {
	scope      stats.Scope
	generation int
	epoch      shared.Epoch
}

func (s *Statistics) countsKey(scope stats.Scope, generation int) countsKey {
	return countsKey{scope, generation, s.epochs.Of(scope.ProductID)}
}

// countsBytes estimates the memory of cached statistics.
func countsBytes(k countsKey, it statisticsItem) int {
	n := 256 + len(k.scope.ProductID) + len(k.scope.Language)
	n += 80 * len(it.pages.Rows)
	for language := range it.Languages {
		n += 320 + len(language) // with its details
	}
	return n
}
