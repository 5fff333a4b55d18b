package counts

import (
	"context"
	"maps"
	"slices"
	"time"

	"product-comments/store/index"
	"product-comments/store/pending"
	"product-comments/store/pending/names"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Counts reads the statistics of scopes, in their order, each at the price of
// one small item; at most 100 are one call. They are as recent as the
// projector, and count what this process wrote and was acknowledged; what others
// wrote a moment ago may not be counted yet. With a context of reads.Fresh all are read, and none was kept.
// It returns an Unavailable error if the store does not answer, or if the
// statistics are not kept: they are never silently wrong.
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

// Total returns how many comments of a product are counted right now, strongly
// consistent. It returns an Unavailable error if the store does not answer, or
// if the statistics are not kept.
func (s *Statistics) Total(ctx context.Context, product string) (int, error) {
	it, generation, err := s.strong(ctx, product)
	return it.atGeneration(generation).Total(), err
}

// Empty reports whether no comment of a product is counted right now, and this process
// has written none that waits to be counted and of which columns will have no entries
// before a fill. It returns an Unavailable error if the store does not
// answer, or if the statistics are not kept.
func (s *Statistics) Empty(ctx context.Context, product string) (bool, error) {
	it, generation, err := s.strong(ctx, product)
	left := slices.ContainsFunc(s.pending.Unprojected(product, it.NamesAs(generation), s.t.Now()), func(w pending.Write) bool {
		_, after := w.Shown()
		return after != nil && after.Defined == ""
	})
	return it.atGeneration(generation).Total() == 0 && !left, err
}

// strong returns a product's statistics, strongly consistent, and their generation.
func (s *Statistics) strong(ctx context.Context, product string) (it statisticsItem, generation int, err error) {
	scope := stats.Scope{ProductID: product}
	read, err := s.read(ctx, []stats.Scope{scope}, true)
	if err != nil {
		return it, 0, err
	}
	now, err := s.settings.Read(ctx) // afterwards, so that nothing newer was read
	if err != nil {
		return it, 0, err
	}
	return read[scope], now.Generation, now.Trusted()
}

// Names returns the names of writes to a product that everything derived from its
// comments has followed, as far as a generation of statistics knows. It returns an
// Unavailable error if the store does not answer.
func (s *Statistics) Names(ctx context.Context, product string, generation int) (names.Set, error) {
	scope := stats.Scope{ProductID: product}
	read, err := s.read(ctx, []stats.Scope{scope}, false)
	return read[scope].NamesAs(generation), err
}

// countsAs returns statistics as a generation sees them; newer is true if some
// are of a newer one.
func (s *Statistics) countsAs(ctx context.Context, scopes []stats.Scope, generation int) (out []stats.Statistics, newer bool, err error) {
	out = make([]stats.Statistics, len(scopes))
	items := make(map[stats.Scope]statisticsItem, len(scopes))
	var missing []stats.Scope
	fresh := reads.IsFresh(ctx)
	for _, scope := range scopes {
		if it, ok := s.counts.Kept(s.countsKey(scope, generation)); ok && !fresh {
			items[scope] = it
		} else {
			missing = append(missing, scope)
		}
	}
	switch {
	case len(missing) == 0:
	case len(missing) == 1 && !fresh: // the usual case, which others may ask for, too
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

// withPending returns statistics with this process's writes that they do not count yet. They
// are for clients: the projector follows the records of the stream alone.
func (s *Statistics) withPending(scope stats.Scope, it statisticsItem, generation int) stats.Measured {
	sum := stats.Deltas{}
	for _, w := range s.pending.Unprojected(scope.ProductID, it.NamesAs(generation), s.t.Now()) {
		before, after := w.Counted()
		sum.Change(before, after, generation)
	}
	return it.atGeneration(generation).With(sum[scope])
}

// shared reads the statistics of a scope, unless they are kept.
func (s *Statistics) shared(ctx context.Context, kept *reads.Shared[countsKey, statisticsItem], k countsKey) (statisticsItem, error) {
	read := func(ctx context.Context) (statisticsItem, error) {
		read, err := s.read(ctx, []stats.Scope{k.scope}, false)
		return read[k.scope], err
	}
	always := func(time.Time) bool { return true } // they follow writes at their own pace, kept or not
	it, err := kept.Do(ctx, k, read, always)
	return it, table.Failed("read the statistics", err)
}

// countsKey is what statistics depend on.
type countsKey struct {
	scope      stats.Scope
	generation int
	epoch      reads.Epoch
}

func (s *Statistics) countsKey(scope stats.Scope, generation int) countsKey {
	return countsKey{scope, generation, s.epochs.Of(scope.ProductID)}
}

// countsBytes is about how much memory statistics take.
func countsBytes(k countsKey, it statisticsItem) int {
	n := 256 + len(k.scope.ProductID) + len(k.scope.Language)
	n += 80 * len(it.pages.Rows)
	for language := range it.Languages {
		n += 320 + len(language) // with its details
	}
	return n
}
