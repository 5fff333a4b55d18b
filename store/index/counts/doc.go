// Package counts maintains the counts, sizes and leaderboards of products, and answers queries from
// them. A leaderboard ranks products by the number of their comments rated 5, or by the Bayesian
// average of all ratings, see ranking.Score. All methods that call the store return an Unavailable
// error if the store does not answer.
//
//	writers ─▶ Admit:     may a product have comments in another language?
//	stream  ─▶ Sums:      counts and sizes, an item for each product and for each language (index.Sums)
//	planner ◀─ Known:     counts and sizes, for the estimates of plans
//	        ◀─ Languages: the languages of a filter
//	readers ◀─ Counts, Ranks
//	operator ▶ SetScoring: changes the average, and writes all places by it
//
// Package stats has the arithmetic.
package counts

import (
	"context"
	"time"

	"product-comments/store/derive/pending"
	"product-comments/store/read/cache"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options configure the statistics. The zero value is ready for use.
type Options struct {
	// PlaceAge is the maximum age of a product's place in a leaderboard: the place is written at
	// most once in that time. With 0 it is written with every change.
	PlaceAge time.Duration
	// Age is the maximum age of cached counts, with respect to writes of other processes; with 0
	// nothing is cached. Bytes is the maximum memory of the cache.
	Age   time.Duration
	Bytes int64
	// Epochs have the times of this process's last writes to each product.
	Epochs *shared.Epochs
	// Pending has this process's pending writes.
	Pending *pending.Log
}

// Statistics reads and maintains the counts of comments of a table. It is safe for concurrent use, and
// implements index.Sums.
type Statistics struct {
	t        *table.Table
	settings *settings.Store
	placeAge time.Duration
	epochs   *shared.Epochs

	counts   *shared.Reads[countsKey, statisticsItem]
	forPlans *shared.Reads[countsKey, statisticsItem]
	pending  *pending.Log
	written  *written
}

// New returns the statistics of a table.
func New(t *table.Table, s *settings.Store, o Options) *Statistics {
	kept := func(age time.Duration, bytes int64) *shared.Reads[countsKey, statisticsItem] {
		return shared.New(shared.Options[countsKey, statisticsItem]{Age: age, Max: bytes, Size: countsBytes, Now: t.Clock()})
	}
	return &Statistics{
		t: t, settings: s, placeAge: o.PlaceAge, epochs: o.Epochs, pending: o.Pending, written: newWritten(),
		counts: kept(o.Age, o.Bytes), forPlans: kept(plannedAge, plannedBytes),
	}
}

// Cached returns the metrics of the cache of counts.
func (s *Statistics) Cached() cache.Stats { return s.counts.Stats() }

// Maintain writes the due places of the leaderboards.
func (s *Statistics) Maintain(ctx context.Context) error {
	_, err := s.writePlaces(ctx, false)
	return err
}

// Pause implements index.Maintained.
func (s *Statistics) Pause() time.Duration { return 0 }
