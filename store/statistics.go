package store

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Statistics reads the statistics of scopes, in their order, each at the price
// of one small item; at most 100 are one call. They are as recent as the
// projector; a comment that was written a moment ago may not be counted yet.
// It returns an Unavailable error if the store does not answer, or if the
// statistics are not kept: they are never silently wrong.
func (s *Store) Statistics(ctx context.Context, scopes []stats.Scope) ([]stats.Statistics, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	meta, err := s.recentMeta(ctx)
	if err != nil {
		return nil, err
	}
	if err := meta.trusted(); err != nil {
		return nil, err
	}
	if len(scopes) == 1 { // the usual case, which others may ask for, too
		return s.oneStatistics(ctx, scopes[0], meta.Generation)
	}
	out := make([]stats.Statistics, len(scopes))
	var missing []stats.Scope
	for i, scope := range scopes {
		var ok bool
		if out[i], ok = s.counts.kept.Get(s.countsKey(scope, meta.Generation)); !ok {
			missing = append(missing, scope)
		}
	}
	items, err := s.statisticsItems(ctx, missing, false)
	if err != nil {
		return nil, err
	}
	for i, scope := range scopes {
		if it, read := items[scope]; read {
			out[i] = it.as(meta.Generation).Statistics
		}
	}
	return out, nil
}

func (s *Store) oneStatistics(ctx context.Context, scope stats.Scope, generation int) ([]stats.Statistics, error) {
	k := s.countsKey(scope, generation)
	got, err := s.counts.do(ctx, k, func(ctx context.Context) (stats.Statistics, error) {
		ctx, cancel := s.deadline(ctx)
		defer cancel()
		items, err := s.statisticsItems(ctx, []stats.Scope{scope}, false)
		return items[scope].as(generation).Statistics, err
	}, func() bool { return true }) // they follow writes at their own pace, kept or not
	return []stats.Statistics{got}, err
}

// countsKey is what statistics depend on.
type countsKey struct {
	scope      stats.Scope
	generation int
	epoch      uint64
}

func (s *Store) countsKey(scope stats.Scope, generation int) countsKey {
	return countsKey{scope, generation, s.epochs.now(scope.ProductID).number}
}

// countsShare is which part of the memory of pages is for statistics.
const countsShare = 8

// countsBytes is about how much memory statistics take.
func countsBytes(k countsKey, st stats.Statistics) int {
	n := 128 + len(k.scope.ProductID) + len(k.scope.Language)
	for language := range st.Languages {
		n += 32 + len(language)
	}
	return n
}

// statisticsItems reads the items of scopes. A scope without an item has empty
// statistics.
func (s *Store) statisticsItems(ctx context.Context, scopes []stats.Scope, consistent bool) (map[stats.Scope]statisticsItem, error) {
	known, err := s.readStatistics(ctx, scopes, nil, consistent)
	return known.items, err
}

// knownStatistics are statistics items and hints that were read together.
type knownStatistics struct {
	items map[stats.Scope]statisticsItem
	hints map[string]hintsItem // by product
}

// getStatistics reads scopes and the hints of their products, strongly consistent.
func (s *Store) getStatistics(ctx context.Context, scopes map[stats.Scope]bool) (knownStatistics, error) {
	var list []stats.Scope
	var products []string
	seen := map[string]bool{}
	for scope := range scopes {
		list = append(list, scope)
		if !seen[scope.ProductID] {
			seen[scope.ProductID] = true
			products = append(products, scope.ProductID)
		}
	}
	return s.readStatistics(ctx, list, products, true)
}

func (s *Store) readStatistics(ctx context.Context, scopes []stats.Scope, products []string, consistent bool) (knownStatistics, error) {
	known := knownStatistics{items: make(map[stats.Scope]statisticsItem, len(scopes)), hints: make(map[string]hintsItem, len(products))}
	type primary struct{ pk, sk string }
	byKey := make(map[primary]stats.Scope, len(scopes))
	hintsOfKey := make(map[primary]string, len(products))
	keys := make([]item, 0, len(scopes)+len(products))
	for _, scope := range scopes {
		if _, twice := known.items[scope]; twice {
			continue
		}
		known.items[scope] = statisticsItem{scope: scope}
		k := statisticsKey(scope)
		byKey[primary{text(k, key.PK), text(k, key.SK)}] = scope
		keys = append(keys, k)
	}
	for _, product := range products {
		known.hints[product] = hintsItem{product: product}
		k := hintsKey(product)
		hintsOfKey[primary{text(k, key.PK), text(k, key.SK)}] = product
		keys = append(keys, k)
	}
	var damage error
	err := s.getBatches(ctx, keys, consistent, func(it item) {
		k := primary{text(it, key.PK), text(it, key.SK)}
		if product, ok := hintsOfKey[k]; ok {
			known.hints[product] = hintsOf(product, it)
			return
		}
		scope := byKey[k]
		read, err := statisticsOf(scope, it)
		if err != nil {
			damage = err
		}
		known.items[scope] = read
	})
	if err == nil {
		err = damage
	}
	return known, err
}
