package statistics

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// All products write their places to one partition key of the leaderboard, and
// a changed count is two write units there. So a product's place is written at
// most once in PlaceAge, however many comments come. While it is older than the
// count, the item carries a mark that a sparse index lists (key.PendingPlace):
// the projector looks there for places that are due, so that none is
// forgotten when a process ends.

// setPlace adds to a statistics item where it is in the leaderboard: only items
// with a 5 are.
func (s *Statistics) setPlace(it table.Item, scope stats.Scope, old statisticsItem, fives, generation int) {
	place, placed, pending := old.place, old.placed, false
	if place != fives {
		if fives == 0 || old.Generation != generation || s.isDue(old) {
			place, placed = fives, s.t.Now()
		} else {
			pending = true
		}
	}
	board := key.Leaders(scope.Language)
	if place > 0 {
		it[board.Index.PartitionKey] = table.S(board.Value)
	}
	if place > 0 || pending {
		it[board.Index.SortKey] = table.S(key.Rank{FiveStars: place, ProductID: scope.ProductID}.SortKey())
	}
	if pending {
		list := key.PendingPlace(scope.ProductID)
		it[list.Index.PartitionKey] = table.S(list.Value)
	}
	if !placed.IsZero() && s.placeAge > 0 {
		it[attrPlaced] = table.N(int(placed.Unix()))
	}
}

// isDue reports whether a place may be written again.
func (s *Statistics) isDue(it statisticsItem) bool {
	return it.placed.IsZero() || !within(it.placed, s.t.Now(), s.placeAge)
}

// within reports whether a time is not longer ago than an age. One that lies ahead
// is: the clock was set back, and it is unknown how old it is.
func within(at, now time.Time, age time.Duration) bool {
	d := now.Sub(at)
	return d >= 0 && d < age
}

// placeWriters is how many places are written at once.
const placeWriters = 8

// Finish is part of index.Finisher: it writes the places that are not due yet, too.
func (s *Statistics) Finish(ctx context.Context) (written int, err error) {
	return s.writePlaces(ctx, true)
}

// writePlaces writes the places that are due, or all that are older than their counts, and
// returns how many. It returns an Unavailable error if the store does not answer.
func (s *Statistics) writePlaces(ctx context.Context, all bool) (written int, err error) {
	var wrote atomic.Int64
	writing, ctx := errgroup.WithContext(ctx)
	writing.SetLimit(placeWriters)
	for n := range key.PendingPlaces {
		writing.Go(func() error {
			var pending []stats.Scope
			err := s.t.Each(ctx, key.PendingPlacePartition(n), func(it table.Item) error {
				if scope, ok := scopeOf(it); ok {
					pending = append(pending, scope)
				}
				return nil
			})
			if err != nil {
				return err
			}
			for some := range slices.Chunk(pending, table.MaxBatchGet) {
				n, err := s.writeSome(ctx, some, all)
				wrote.Add(int64(n))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = writing.Wait()
	return int(wrote.Load()), err
}

// writeSome writes the places of scopes that are due, or all. That another writer changes
// the statistics at the same time does no harm: they write the place, or leave
// the mark.
func (s *Statistics) writeSome(ctx context.Context, scopes []stats.Scope, all bool) (written int, err error) {
	read, err := s.items().Read(ctx, scopes, true)
	if err != nil {
		return 0, err
	}
	for _, scope := range scopes {
		it := read[scope]
		if all {
			it.placed = time.Time{} // so it is due
		}
		if !it.pending || !s.isDue(it) {
			continue
		}
		err := s.t.Write(ctx, "write a place in the leaderboard", it.Write(s.t, s.spell(scope, it, it.Measured, it.Generation), it.Total() == 0, it.Names, it.Generation))
		_, changed := table.IsRefused(err)
		if err != nil && !changed {
			return written, err
		}
		written++
	}
	return written, nil
}

// overdue is how long after it is due a place that is still to be written is
// taken for forgotten.
const overdue = 10 * time.Minute
