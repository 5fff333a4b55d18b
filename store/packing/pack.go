package packing

import (
	"context"
	"math"
	"sync/atomic"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pack"
	"product-comments/store/table"
)

// Sample returns author, title and text of at most n comments, from the beginning of the
// table on, which is as good as any other part: a scan goes by the hash of ids. They are
// enough when they are as long together as it takes. It reads at most so many capacity
// units a second, without bound if the rate is 0.
func (p *Packing) Sample(ctx context.Context, n int, rate float64) ([]pack.Words, error) {
	return p.sample(ctx, p.t.NewScanner(table.ScanOptions{Rate: rate}), n, math.MaxInt)
}

// sample is Sample at a scanner's rate, from about so many items at most.
func (p *Packing) sample(ctx context.Context, sc *table.Scanner, n, items int) ([]pack.Words, error) {
	var texts []Text
	bytes := 0 // of texts, as they are stored
	enough := func() bool { return len(texts) >= n || len(texts) >= p.o.Enough && bytes >= pack.SampleBytes }
	err := sc.Walk(ctx, nil, func(_ context.Context, it table.Item) error {
		items--
		c, err := comment(it)
		if err != nil || c == nil {
			return nil // a damaged text is not a sample
		}
		if text, ok := textOf(c); ok && !enough() {
			texts = append(texts, text)
			bytes += len(text.frame) + text.plain.Size()
		}
		return nil
	}, func(table.Item) (bool, error) { return items > 0 && !enough(), nil })
	if err != nil {
		return nil, err
	}
	return p.words(ctx, texts)
}

// comment reads an item, nil if it is no comment.
func comment(it table.Item) (*item.Stored, error) {
	// Those that are not published stay plain: what is rejected teaches no dictionary.
	if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || item.IsHidden(it) {
		return nil, nil
	}
	c, err := item.Read(it, "")
	return &c, err
}

// hidden reads an item, nil unless it is a comment that is not published and was packed:
// as long as it is, it keeps a dictionary in use.
func hidden(it table.Item) (*item.Stored, error) {
	if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || item.IsDeleted(it) || it[item.AttrFrame] == nil {
		return nil, nil
	}
	c, err := item.Read(it, "")
	return &c, err
}

// All compresses texts that were written without a dictionary, or with an older one, during
// normal operation. It skips texts of the current dictionary, so it can be stopped and run
// again. It consumes at most rate capacity units a second, 0 for no limit, and calls progress,
// which may be nil, with the number of items read. It returns how many comments it wrote;
// NotFound if the table has no dictionary, or Unavailable if the store does not answer.
func (p *Packing) All(ctx context.Context, rate float64, progress func(items int64)) (packed int64, err error) {
	now, err := p.settings.Read(ctx)
	if err != nil {
		return 0, err
	}
	if now.Dictionary == 0 {
		return 0, errs.Errorf(errs.NotFound, "The table has no dictionary: run product-comments texts train first")
	}
	var wrote atomic.Int64
	sc := p.t.NewScanner(table.ScanOptions{Rate: rate, Progress: progress})
	err = sc.Run(ctx, func(ctx context.Context, it table.Item) error {
		changed, err := p.packItem(ctx, it, sc)
		if changed {
			wrote.Add(1)
		}
		return err
	})
	return wrote.Load(), err
}

// writeUnits is what it takes to pack a comment: the item and its four indexes.
const writeUnits = 5

// packItem packs the comment of an item, unless it is already or was changed since,
// which packs it too. pace says when it may be written. It packs with the dictionary
// that is the newest then: with another one the comment would be lost, should that have
// been deleted since the caller began.
func (p *Packing) packItem(ctx context.Context, stored table.Item, pace *table.Scanner) (wrote bool, err error) {
	c, err := comment(stored)
	if c == nil && err == nil {
		c, err = hidden(stored)
	}
	if err != nil || c == nil {
		return false, err
	}
	codec, err := p.newest(ctx)
	if err != nil {
		return false, err
	}
	if c.Frame != "" {
		version, err := pack.VersionOf(c.Frame)
		if err == nil && version >= codec.Version() { // greater if we have not heard of it
			return false, nil
		}
		old, err := p.settings.CodecOf(ctx, c.Frame)
		if err != nil {
			return false, err
		}
		if err := c.Unpack(old); err != nil {
			return false, err
		}
	}
	before, want := item.StoredForm(c, stored), item.Encode(c, codec)
	if table.Same(before, want) {
		return false, nil
	}
	if err := pace.Spend(ctx, writeUnits); err != nil {
		return false, table.Failed("compress a text", err)
	}
	newer, err := p.newest(ctx)
	if err != nil {
		return false, err
	}
	if newer.Version() != codec.Version() { // while it waited
		want = item.Encode(c, newer)
	}
	w := table.Difference(table.Primary(stored), before, want)
	err = p.t.Write(ctx, "compress a text", item.IfUnchanged(w, stored))
	if _, changed := table.IsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// newest returns the codec of the newest dictionary.
func (p *Packing) newest(ctx context.Context) (*pack.Codec, error) {
	now, err := p.settings.Recent(ctx)
	if err != nil {
		return nil, err
	}
	return p.settings.Codec(ctx, now.Dictionary)
}
