package packing

import (
	"context"
	"errors"
	"time"

	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/pack"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Packing is an Index of compressed texts. It counts new texts from the stream, and Maintain
// does everything else.
var _ index.Maintained = (*Packing)(nil)

// Name implements index.Index.
func (p *Packing) Name() string { return "compressed texts" }

// Pause implements index.Maintained.
func (p *Packing) Pause() time.Duration { return 0 }

// Watch notes what people wrote; what was only packed has its version still. A change
// that comes again counts twice, which does no harm.
func (p *Packing) Watch(_ context.Context, _ settings.Settings, changes []index.Change) error {
	for _, c := range changes {
		if c.After == nil || c.Before != nil && c.Before.Version == c.After.Version {
			continue
		}
		if text, ok := textOf(&c.After.Stored); ok {
			p.note(text)
		}
	}
	return nil
}

// note keeps a text for the next look.
func (p *Packing) note(t Text) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen++
	if len(p.fresh) < p.o.Fresh {
		p.fresh = append(p.fresh, t)
	}
}

// Maintain does what is due, for a minute at most: it trains, or packs some more of
// what there is. It returns an Unavailable error if the store does not answer; the
// next call continues.
func (p *Packing) Maintain(ctx context.Context) error {
	now, err := p.settings.Recent(ctx)
	if err != nil {
		return err
	}
	if !p.due(now.Dictionary) {
		return nil
	}
	s, err := p.read(ctx)
	if err != nil || p.taken(s) || !p.due(now.Dictionary) {
		return err
	}
	if ok, err := p.save(ctx, &s, true); !ok || err != nil {
		return err
	}
	if now, err = p.settings.Read(ctx); err != nil { // the previous holder of the lease may have trained a dictionary
		return err
	}
	switch {
	case now.Dictionary == 0:
		return p.first(ctx, &s)
	case s.version != now.Dictionary:
		return p.begin(ctx, &s, now.Dictionary)
	}
	if fresh := p.takeFresh(); fresh != nil {
		return p.compare(ctx, &s, fresh)
	}
	if s.done {
		_, err = p.save(ctx, &s, false)
		return err
	}
	return p.follow(ctx, &s)
}

// due reports, without reading, whether there may be something to do.
func (p *Packing) due(dictionary int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.t.Now()
	switch {
	case !p.asked:
		return true
	case p.taken(p.known):
		return false
	case dictionary == 0: // looked may be of a clock that is ahead
		look := now.Sub(p.known.looked) >= p.o.Look || p.leases.Age(now, p.known.revision) >= p.o.Look
		return p.seen >= p.o.Enough || look
	}
	return p.known.version != dictionary || !p.known.done || len(p.fresh) >= p.o.Fresh
}

// takeFresh returns the fresh texts once they are enough to judge by.
func (p *Packing) takeFresh() []Text {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.fresh) < p.o.Fresh {
		return nil
	}
	fresh := p.fresh
	p.fresh, p.seen = nil, 0
	return fresh
}

// first trains the first dictionary, if there are enough texts.
func (p *Packing) first(ctx context.Context, s *state) error {
	p.mu.Lock()
	p.fresh, p.seen = nil, 0
	p.mu.Unlock()
	samples, err := p.sampleSlowly(ctx, pack.Samples)
	if err != nil {
		return err
	}
	if len(samples) >= p.o.Enough {
		trained, err := p.train(ctx, 0, samples)
		if err == nil {
			p.o.Log.Info("trained a dictionary: new comments are compressed from now on, older ones follow",
				"version", trained.Version, "comments", len(samples), "share", trained.Share)
			return p.begin(ctx, s, trained.Version)
		}
		if errs.CodeOf(err) != errs.BadUserInput {
			return err
		}
		p.o.Log.Info("texts are not compressed yet", "why", err)
	}
	s.looked = p.t.Now()
	_, err = p.save(ctx, s, false)
	return err
}

// sampleItems is how many items are read for each comment of a sample at most: most items
// are derived from comments.
const sampleItems = 4

func (p *Packing) sampleSlowly(ctx context.Context, n int) ([]pack.Words, error) {
	return p.sample(ctx, p.scanner, n, sampleItems*n)
}

// errNotWorth ends a training.
var errNotWorth = errors.New("a new dictionary would not save enough")

// compare looks at how well fresh texts pack, and trains again if that is clearly
// worse than when the dictionary was trained, and a new one is worth it. If it is
// not, what they take is what later ones are compared with, so that this is not
// tried again and again.
func (p *Packing) compare(ctx context.Context, s *state, fresh []Text) error {
	codec, err := p.settings.Codec(ctx, s.version)
	if err != nil {
		return err
	}
	words, err := p.words(ctx, fresh)
	if err != nil {
		return err
	}
	share := codec.Share(words)
	if s.share > 0 && share <= s.share*clearly {
		_, err := p.save(ctx, s, false)
		return err
	}
	if s.share > 0 {
		older, err := p.sampleSlowly(ctx, pack.Samples-len(words))
		if err != nil {
			return err
		}
		held := words[:len(words)/5] // are not trained on, and report whether it is worth it
		version, err := p.settings.AddDictionary(ctx, s.version, func(version int) ([]byte, float64, error) {
			dictionary, _, err := pack.Learn(version, append(older, words[len(held):]...))
			if err != nil {
				return nil, 0, err
			}
			c, err := pack.New(dictionary)
			if err != nil {
				return nil, 0, err
			}
			if share := c.Share(held); share <= worth*codec.Share(held) {
				return dictionary, share, nil
			}
			return nil, 0, errNotWorth
		})
		switch {
		case err == nil:
			p.o.Log.Info("trained a new dictionary: recent texts compressed less well", "version", version, "share",
				share, "once", s.share)
			return p.begin(ctx, s, version)
		case errs.CodeOf(err) == errs.Unavailable:
			return err
		}
	}
	s.share = share
	_, err = p.save(ctx, s, false)
	return err
}

// begin begins to let older texts follow a dictionary, once every process has
// heard of it: what is written in the meantime may be plain still.
func (p *Packing) begin(ctx context.Context, s *state, version int) error {
	d, err := p.settings.Dictionary(ctx, version)
	if err != nil {
		return err
	}
	if err := table.Sleep(ctx, p.settings.SpreadTime()+p.settings.SettleTime()); err != nil {
		return nil // the next one begins
	}
	*s = state{version: version, share: d.Share, looked: s.looked, revision: s.revision}
	_, err = p.save(ctx, s, false)
	return err
}

// atATime is for how long texts follow before anything else that is due.
const atATime = time.Minute

// follow packs texts that are plain or packed with an older dictionary, and notes how far
// it is.
func (p *Packing) follow(ctx context.Context, s *state) error {
	until := p.t.Now().Add(atATime)
	return p.scanner.Walk(ctx, s.after, func(ctx context.Context, it table.Item) error {
		wrote, err := p.packItem(ctx, it, p.scanner)
		if errs.CodeOf(err) == errs.Internal { // it cannot be read
			p.o.Log.Warn("a text cannot be compressed", "error", err)
			return nil
		}
		if wrote {
			s.packed++
		}
		return err
	}, func(after table.Item) (bool, error) {
		if s.after, s.done = after, after == nil; s.done {
			p.o.Log.Info("all texts are compressed", "dictionary", s.version, "comments", s.packed)
		}
		on := !s.done && p.t.Now().Before(until)
		ok, err := p.save(ctx, s, on)
		return ok && on, err
	})
}
