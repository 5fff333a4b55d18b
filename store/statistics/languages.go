package statistics

import (
	"context"
	"time"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/stats"
)

// The item of a product's comments in any language tells also how many there are of
// each language and rating, how many of them have a text, and how many are by buyers. So a filter of several
// languages is planned, and counted, by one item.

// knownLanguages is what planning needs of that item.
type knownLanguages struct {
	at         time.Time // before it was read
	generation int
	counted    stats.Measured // zero if there are no statistics
	there      bool           // whether there are statistics
	hinted     bool           // whether hints were read, too
	hints      hintsItem
}

// languagesOf is what is learned at once.
type languagesOf struct {
	product string
	hinted  bool
}

// MaxRegions is the most languages that one filter may come to for a product, with
// those that have a region. Each is a partition.
const MaxRegions = 30

// Languages returns what the languages of a filter come to for a product: those it
// names, and with Regions those of them that its comments have with a region. It
// returns an Unavailable error if that is not known, since a page would lack
// comments, and BadUserInput if they are more than MaxRegions.
func (s *Statistics) Languages(ctx context.Context, f plan.Filter, now settings.Settings) (key.Languages, error) {
	if !f.Regions || f.Languages.Any() {
		return f.Languages, nil
	}
	if err := now.Trusted(); err != nil {
		return "", err
	}
	k, ok, err := s.languages(ctx, languagesOf{f.ProductID, true}, now.Generation)
	if err != nil {
		return "", err
	}
	all, listed := k.counted.Regions(f.Languages)
	if !ok || !listed || !k.hints.all.IsZero() {
		return "", errs.Errorf(errs.Unavailable, "It is not known at present in which languages the product has comments: try again, or without includeRegions")
	}
	for language := range k.hints.languages() {
		all = key.LanguagesOf(append(all.List(), f.Languages.WithRegions(func(yield func(string) bool) { yield(language) }).List()...)...)
	}
	if n := len(all.List()); n > MaxRegions {
		return "", errs.Invalid("includeRegions", "the product has comments in %d languages with such a region, the limit is %d: name some of them", n, MaxRegions).For(errs.TooMany).Past(n, MaxRegions)
	}
	return all, nil
}

// knownOfSeveral is Known for a filter that a single scope's item says too little of.
func (s *Statistics) knownOfSeveral(ctx context.Context, f plan.Filter, now settings.Settings) plan.Known {
	k, ok, err := s.languages(ctx, languagesOf{f.ProductID, false}, now.Generation)
	if err == nil && ok && k.lacks(f) && !k.hinted {
		k, ok, err = s.languages(ctx, languagesOf{f.ProductID, true}, now.Generation)
	}
	if err != nil || !ok {
		return plan.Known{}
	}
	out := plan.Known{Counts: k.counts(f.Languages.One(), f.Which()), Of: map[string]plan.Counts{}}
	if f.OfAll() {
		out.All = k.counts("", f.Which())
	}
	for _, language := range f.Languages.List() {
		out.Of[language] = k.counts(language, f.Which())
	}
	return out
}

// lacks tells whether a kind of comments of the filter is not counted.
func (k knownLanguages) lacks(f plan.Filter) bool {
	languages := f.Languages.List()
	if len(languages) == 0 {
		languages = []string{""}
	}
	for _, language := range languages {
		for rating := 1; rating <= len(k.counted.Tally); rating++ {
			if f.Ratings.Has(rating) && k.tally(language)[rating-1] == 0 {
				return true
			}
		}
	}
	return false
}

// tally is how many comments of each rating there are in a language, or in any.
func (k knownLanguages) tally(language string) stats.Tally {
	if language == "" {
		return k.counted.Tally
	}
	return k.counted.Details[language].Tally
}

// counts is what is known of a language, or of all. A zero is believed only if there
// are statistics of every language, and no hint says otherwise.
func (k knownLanguages) counts(language string, which stats.Which) plan.Counts {
	c := plan.Counts{Tally: k.tally(language), Sizes: stats.Sizes{Largest: k.counted.Largest}}
	if language == "" {
		c.Bytes = k.counted.Bytes
		for _, d := range k.counted.Details {
			for i, n := range d.Those(which) {
				c.Wanted[i] += n
			}
		}
	} else {
		d := k.counted.Details[language]
		c.Bytes, c.Wanted = d.Bytes, d.Those(which)
	}
	known := language == "" || k.counted.Details != nil && k.counted.OtherLanguages == 0
	if k.there && known && k.hinted {
		c.Empty = c.Tally.Zeros() &^ k.hints.ratings(language)
	}
	return c
}

// languages returns what is known of a product's languages; ok is false if this
// process hinted a kind while it was read for somebody else.
func (s *Statistics) languages(ctx context.Context, of languagesOf, generation int) (k knownLanguages, ok bool, err error) {
	for range 5 { // a read that others share may have begun before this process hinted
		var kept bool
		k, kept = s.catalog.languages.Get(of.product)
		fresh := kept && k.generation == generation && within(k.at, s.t.Now(), catalogAge) && (k.hinted || !of.hinted)
		if !fresh {
			if k, err = s.learnLanguages(ctx, of, generation); err != nil {
				return k, false, err
			}
		}
		if !s.catalog.hintedSince(of.product, k.at) {
			return k, true, nil
		}
		s.catalog.languages.Remove(of.product)
	}
	return k, false, nil
}

// learnLanguages reads a product's statistics for planning: half a read unit, and
// one more if its hints are asked for. These are read afterwards and strongly
// consistent, so that a kind is hinted or counted.
func (s *Statistics) learnLanguages(ctx context.Context, of languagesOf, generation int) (knownLanguages, error) {
	return reads.Once(ctx, &s.learningLanguages, of, func(ctx context.Context) (knownLanguages, error) {
		k := knownLanguages{at: s.t.Now(), generation: generation, hinted: of.hinted}
		scope := stats.Scope{ProductID: of.product}
		read, err := s.read(ctx, []stats.Scope{scope}, nil, false)
		if err != nil {
			return k, err
		}
		if it := read.items[scope]; it.revision > 0 && it.generation == generation {
			k.counted, k.there = it.Measured, true
		}
		if of.hinted {
			read, err := s.read(ctx, nil, []string{of.product}, true)
			if err != nil {
				return k, err
			}
			k.hints = read.hints[of.product]
		}
		s.catalog.languages.Add(of.product, k)
		return k, nil
	})
}
