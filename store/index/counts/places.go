package counts

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// All products write their places to one partition key of the leaderboard, and a changed count
// costs two write units there. So a product's place is written at most once in PlaceAge. While
// the place differs from the count, a sparse index (key.PendingPlace) lists the item. The
// projector reads that index and writes the due places, so a place is written even if the process
// that counted has ended.

// setPlaces adds the places in the leaderboards to an item of statistics. The first leaderboard
// contains items with a comment rated 5, the leaderboard by score items with enough comments.
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

// isDue reports whether the age of a place permits another write.
func (s *Statistics) isDue(it statisticsItem) bool {
	return it.placed.IsZero() || !within(it.placed, s.t.Now(), s.placeAge)
}

// within reports whether the time at is less than age ago. A time in the future is not: after the
// clock was set back its age is unknown.
func within(at, now time.Time, age time.Duration) bool {
	d := now.Sub(at)
	return d >= 0 && d < age
}

// placeWriters bounds concurrent writes of places.
const placeWriters = 8

// Finish implements index.Finisher: it writes all pending places, due or not.
func (s *Statistics) Finish(ctx context.Context) (written int, err error) {
	return s.writePlaces(ctx, true)
}

// writePlaces writes the pending places that are due, or all pending places, and returns their
// number.
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

// writeSome writes the pending places of scopes that are due, or all of them. If another process
// changes the statistics at the same time, that process writes the place or leaves it pending.
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

// writePlaceOf writes the due places of a scope, given its statistics. It returns a Refused error
// if the statistics have changed since they were read.
func (s *Statistics) writePlaceOf(ctx context.Context, scope stats.Scope, it statisticsItem, now settings.Scoring) error {
	to := s.spell(scope, it, it.Measured, now, it.Generation)
	entry := entryWrites(scope, it, to, it.Generation)
	write := it.Write(s.t, to, it.Total() == 0, it.Names, it.Generation)
	return s.t.WriteAll(ctx, "write a place in the leaderboard", append(entry, write)...)
}

// overdue is how long after its due time a pending place is reported as an error.
const overdue = 10 * time.Minute
