package store

import (
	"context"

	"product-comments/store/pack"
	"product-comments/store/packing"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// TrainTexts makes a dictionary from comments as they are in the shop, keeps
// it in the table in the place of any other, and lets every process write with it
// from now on. It returns the dictionary; BadUserInput if the samples are too few
// or too unlike one another, or an Unavailable error if the store does not answer.
func (s *Store) TrainTexts(ctx context.Context, samples []pack.Words) (packing.Trained, error) {
	return s.packing.Train(ctx, settings.Whatever, samples)
}

// LacksDictionary tells whether this store packs what it writes, and has no
// dictionary to do so yet. It returns an Unavailable error if the store does not
// answer.
func (s *Store) LacksDictionary(ctx context.Context) (bool, error) {
	if s.plain {
		return false, nil
	}
	now, err := s.settings.Read(ctx)
	return now.Dictionary == 0, err
}

// LoadDictionaries loads what packed texts need; see settings.LoadDictionaries.
func (s *Store) LoadDictionaries(ctx context.Context) error { return s.settings.LoadDictionaries(ctx) }

// LearnTexts is TrainTexts for a table without a dictionary: if somebody else
// was faster, theirs is used.
func (s *Store) LearnTexts(ctx context.Context, samples []pack.Words) (packing.Trained, error) {
	return s.packing.Train(ctx, 0, samples)
}

// SampleTexts returns author, title and text of some comments, at most n; see
// packing.Sample.
func (s *Store) SampleTexts(ctx context.Context, n int, rate float64) ([]pack.Words, error) {
	return s.packing.Sample(ctx, n, rate)
}

// ScanOptions say how what reads the whole table goes about it.
type ScanOptions = table.ScanOptions

// PackTexts packs what is plain or was packed with an older dictionary; see
// packing.All.
func (s *Store) PackTexts(ctx context.Context, o ScanOptions) (packed int64, err error) {
	return s.packing.All(ctx, o.Rate, o.Progress)
}

// PruneTexts removes dictionaries that nothing needs any more; see packing.Prune.
func (s *Store) PruneTexts(ctx context.Context, o ScanOptions) (versions []int, err error) {
	return s.packing.Prune(ctx, o.Rate, o.Progress)
}
