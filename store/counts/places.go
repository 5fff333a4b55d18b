package counts

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// All products write their places to one partition key of the leaderboard, and
// a changed count is two write units there. So a product's place is written at
// most once in PlaceAge, however many comments come. While it is older than the
// count, the item carries a mark that a sparse index lists (key.PendingPlace):
// the projector looks there for places that are due, so that none is
// forgotten when a process ends.

// setPlaces adds to a statistics item where it is in the leaderboards: only items with a 5
// are in the first, and only those with enough comments in the one by score.
func (s *Statistics) setPlaces(it table.Item, scope stats.Scope, old statisticsItem, to stats.Tally, now settings.Scoring, generation int) {
	place, score, placed, pending := old.place, old.score, old.placed, false
	due := old.Generation != generation || s.isDue(old)
	for _, is := range []struct {
		at *int
		to int
	}{{&place, to[4]}, {&score, scoreOf(now, to)}} {
		switch {
		case *is.at == is.to:
		case is.to == 0 || due:
			*is.at, placed = is.to, s.t.Now()
		default:
			pending = true
		}
	}
	board := key.Leaders(scope.Language)
	if place > 0 {
		it[board.Index.PartitionKey] = table.S(board.Value)
	}
	if place > 0 || pending {
		it[board.Index.SortKey] = table.S(key.Rank{Number: place, ProductID: scope.ProductID}.SortKey())
	}
	if score > 0 {
		it[attrScore] = table.N(score)
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
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return 0, err
	}
	read, err := s.read(ctx, scopes, true)
	if err != nil {
		return 0, err
	}
	for _, scope := range scopes {
		it := read[scope]
		if all {
			it.placed = time.Time{} // so it is due
		}
		if !it.pending || !s.isDue(it) || it.Generation > now.Generation {
			continue
		}
		err := s.writePlaceOf(ctx, scope, it, now.Scoring)
		_, changed := table.IsRefused(err)
		if err != nil && !changed {
			return written, err
		}
		written++
	}
	return written, nil
}

// writePlaceOf writes the places of a scope whose statistics were read, if they are due. It
// returns a Refused error if the statistics have changed since.
func (s *Statistics) writePlaceOf(ctx context.Context, scope stats.Scope, it statisticsItem, now settings.Scoring) error {
	to := s.spell(scope, it, it.Measured, now, it.Generation)
	entry := entryWrites(scope, it, to, it.Generation)
	write := it.Write(s.t, to, it.Total() == 0, it.Names, it.Generation)
	return s.t.WriteAll(ctx, "write a place in the leaderboard", append(entry, write)...)
}

// overdue is how long after it is due a place that is still to be written is
// taken for forgotten.
const overdue = 10 * time.Minute
