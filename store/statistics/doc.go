// Package statistics keeps counts, sizes, hints and the leaderboard of products,
// and answers from them.
//
//	writers ─▶ Announce: which kinds of comments may exist before they are counted (hints)
//	stream  ─▶ Gather:   counts and sizes, one item a product and one a language (projector.Derived)
//	planner ◀─ Known:    counts, sizes, and which partitions are surely empty
//	readers ◀─ Counts, Leaderboard
//
// Package stats has the arithmetic.
package statistics

import (
	"context"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/own"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/stats"
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
}

// Statistics are those of a table. They are safe for concurrent use, and
// satisfy projector.Derived.
type Statistics struct {
	t        *table.Table
	settings *settings.Store
	placeAge time.Duration
	epochs   *reads.Epochs

	catalog           *catalog
	learning          cache.Flights[stats.Scope, reads.Outcome[knownScope]]
	learningLanguages cache.Flights[languagesOf, reads.Outcome[knownLanguages]]
	counts            *reads.Shared[countsKey, statisticsItem]
	own               *own.Writes
}

// New returns the statistics of a table.
func New(t *table.Table, s *settings.Store, o Options) *Statistics {
	return &Statistics{
		t: t, settings: s, placeAge: o.PlaceAge, epochs: o.Epochs, catalog: newCatalog(), own: own.NewWrites(t.Random()),
		counts: reads.NewShared(reads.Options[countsKey, statisticsItem]{Age: o.Age, Max: o.Bytes, Size: countsBytes, Now: t.Clock()}),
	}
}

// Own returns this process's own writes, which Counts counts.
func (s *Statistics) Own() *own.Writes { return s.own }

// Cached returns the figures of the counts that are kept in memory.
func (s *Statistics) Cached() cache.Stats { return s.counts.Stats() }

// Maintain writes places in the leaderboard that are due.
func (s *Statistics) Maintain(ctx context.Context) error {
	_, err := s.writePlaces(ctx, false)
	return err
}
