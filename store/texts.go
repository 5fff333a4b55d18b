package store

import (
	"context"
	"errors"
	"sync/atomic"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pack"
	"product-comments/store/table"
)

// TrainTexts makes a dictionary from comments as they are in the shop, keeps
// it in the table, and lets every process write with it from now on. It returns
// the dictionary's version, or an Unavailable error if the store does not answer.
func (s *Store) TrainTexts(ctx context.Context, samples []pack.Words) (version int, err error) {
	return s.settings.AddDictionary(ctx, func(version int) ([]byte, error) { return pack.Train(version, samples) })
}

// errEnough ends a scan that has what it wants.
var errEnough = errors.New("enough")

// SampleTexts returns author, title and text of some comments, at most n, from
// all over the table: a scan goes by the hash of their ids. It reads at most so
// many capacity units a second, without bound if the rate is 0.
func (s *Store) SampleTexts(ctx context.Context, n int, rate float64) ([]pack.Words, error) {
	taken := make(chan pack.Words, n)
	err := s.t.NewScanner(table.ScanOptions{Rate: rate}).Run(ctx, func(ctx context.Context, it table.Item) error {
		if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || item.IsDeleted(it) {
			return nil
		}
		c, err := s.read(ctx, it)
		if err != nil || c.Text == "" {
			return err
		}
		select {
		case taken <- c.Words():
			return nil
		default:
			return errEnough
		}
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	close(taken)
	samples := make([]pack.Words, 0, len(taken))
	for w := range taken {
		samples = append(samples, w)
	}
	return samples, nil
}

// PackOptions say how texts are packed.
type PackOptions struct {
	Rate     float64           // most capacity units a second; 0 is without bound
	Progress func(items int64) // is told now and then how many were looked at; may be nil
}

// PackTexts packs what was written before there was a dictionary, or with an
// older one, while reads and writes go on. What was packed already is passed
// over, so it can be stopped and run again. It returns how many comments it
// wrote, or an Unavailable error if the store does not answer.
func (s *Store) PackTexts(ctx context.Context, o PackOptions) (packed int64, err error) {
	codec, err := s.settings.Packer(ctx)
	if err != nil {
		return 0, err
	}
	if codec == nil {
		return 0, errs.Errorf(errs.NotFound, "The table has no dictionary yet: train one first")
	}
	var wrote atomic.Int64
	sc := s.t.NewScanner(table.ScanOptions{Rate: o.Rate, Progress: o.Progress})
	err = sc.Run(ctx, func(ctx context.Context, it table.Item) error {
		if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || item.IsDeleted(it) {
			return nil
		}
		changed, err := s.packStored(ctx, it, codec, sc)
		if changed {
			wrote.Add(1)
		}
		return err
	})
	return wrote.Load(), err
}

// packStored packs a stored comment, unless it is already or was changed since,
// which packs it too.
func (s *Store) packStored(ctx context.Context, stored table.Item, codec *pack.Codec, sc *table.Scanner) (wrote bool, err error) {
	c, err := item.Read(stored, "")
	if err != nil {
		return false, err
	}
	if c.Frame != "" {
		if version, err := pack.VersionOf(c.Frame); err == nil && version == codec.Version() {
			return false, nil
		}
	}
	if err := s.unpack(ctx, &c); err != nil {
		return false, err
	}
	before, want := item.StoredForm(&c, stored), item.Of(&c, codec)
	if table.Same(before, want) {
		return false, nil
	}
	if err := sc.Spend(ctx, 1); err != nil {
		return false, table.Failed("pack a text", err)
	}
	w := table.Difference(table.Primary(stored), before, want)
	err = s.t.Write(ctx, "pack a text", item.IfUnchanged(w, stored))
	if _, changed := table.IsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}
