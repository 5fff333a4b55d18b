// Package counts keeps counts, sizes and the leaderboards of products, and answers
// from them. Products are ranked by the number of their comments rated 5, or by the
// Bayesian average of all ratings, see ranking.Score.
//
//	writers ─▶ Admit:     whether a product may have comments in another language
//	stream  ─▶ Sums:      counts and sizes, one item a product and one a language (index.Sums)
//	planner ◀─ Known:     counts and sizes, which price plans
//	        ◀─ Languages: those of a filter
//	readers ◀─ Counts, Ranks
//	operator ▶ SetScoring: another average, and all places by it again
//
// Package stats has the arithmetic.
package counts

import (
	"context"
	"time"

	"product-comments/store/cache"
	"product-comments/store/pending"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options change how statistics are kept and read. The zero value is ready for use.
type Options struct {
	// PlaceAge is how old a product's place in a leaderboard may be: it is
	// written at most once in that time. 0 is with every change.
	PlaceAge time.Duration
	// Age is how old counts may be that others read through this process; 0 is
	// not at all. Bytes is the most memory that they take.
	Age   time.Duration
	Bytes int64
	// Epochs tell when this process last wrote to a product.
	Epochs *reads.Epochs
	// Pending has this process's writes.
	Pending *pending.Log
}

// Statistics reads and maintains the counts of comments of a table. It is safe for concurrent use, and
// implements index.Sums.
type Statistics struct {
	t        *table.Table
	settings *settings.Store
	placeAge time.Duration
	epochs   *reads.Epochs

	counts   *reads.Shared[countsKey, statisticsItem]
	forPlans *reads.Shared[countsKey, statisticsItem]
	pending  *pending.Log
	written  *written
}

// New returns the statistics of a table.
func New(t *table.Table, s *settings.Store, o Options) *Statistics {
	kept := func(age time.Duration, bytes int64) *reads.Shared[countsKey, statisticsItem] {
		return reads.NewShared(reads.Options[countsKey, statisticsItem]{Age: age, Max: bytes, Size: countsBytes, Now: t.Clock()})
	}
	return &Statistics{
		t: t, settings: s, placeAge: o.PlaceAge, epochs: o.Epochs, pending: o.Pending, written: newWritten(),
		counts: kept(o.Age, o.Bytes), forPlans: kept(plannedAge, plannedBytes),
	}
}

// Cached returns the figures of the counts that are kept in memory.
func (s *Statistics) Cached() cache.Stats { return s.counts.Stats() }

// Maintain writes places in the leaderboards that are due.
func (s *Statistics) Maintain(ctx context.Context) error {
	_, err := s.writePlaces(ctx, false)
	return err
}

// Pause implements index.Maintained.
func (s *Statistics) Pause() time.Duration { return 0 }
