package summaries

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// verifier compares fingerprints first, since what all comments of a table come to is
// too much to hold.
type verifier struct {
	of         *Summaries
	generation int
	share      *index.Share
	*index.Held[observed]
}

// observed is what is held of a product.
type observed struct {
	print uint64 // the fingerprint of its comments, less that of its items
	wrong bool   // an item is of an older generation
}

// Bytes implements index.Holding.
func (o observed) Bytes() int {
	if o == (observed{}) {
		return 0
	}
	return 100
}

// Verifiers begins a comparison with the comments.
func (s *Summaries) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{&verifier{s, now.Generation, share, index.NewHeld[observed](share)}}
}

// About implements index.Verifier.
func (v *verifier) About() string { return "product" }

// Count reports nothing: there are as many summaries as products and languages ask for.
func (v *verifier) Count() (string, int64) { return "", 0 }

// fingerprint is that of a summary in its place.
func fingerprint(at Place, attribute string, s summary.Summary) uint64 {
	return s.Fingerprint(at.Language + "\x00" + attribute)
}

// Observe adds the fingerprint of a comment, or takes that of an item.
func (v *verifier) Observe(ctx context.Context, it table.Item, comment *item.Stored) error {
	if comment = comment.OrHidden(); comment != nil {
		if !v.share.Has(comment.ProductID) {
			return nil
		}
		one := deltas{}
		if err := v.of.add(ctx, one, comment); err != nil || len(one) == 0 {
			return err
		}
		v.Change(comment.ProductID, func(o *observed) {
			for at, of := range one {
				for attribute, s := range of {
					o.print = summary.AddFingerprints(o.print, fingerprint(at, attribute, s))
				}
			}
		})
		return nil
	}
	at, ok := placeOf(it)
	if !ok || !v.share.Has(at.ProductID) {
		return nil
	}
	read, err := parse(it)
	if err != nil {
		return err
	}
	v.Change(at.ProductID, func(o *observed) {
		for attribute, s := range read.as(v.generation) {
			o.print = summary.TakeFingerprint(o.print, fingerprint(at, attribute, s))
		}
		o.wrong = o.wrong || read.Generation < v.generation
	})
	return nil
}

// Diff compares one product with its comments, each of which it reads by itself:
// indexes do not carry attributes.
func (v *verifier) Diff(ctx context.Context, now settings.Settings, product string) (differences []string, err error) {
	want, err := v.of.recount(ctx, product)
	if err != nil {
		return nil, err
	}
	differ := func(at Place, format string, args ...any) {
		differences = append(differences, key.SummariesSK(at.Part, at.Language)+": "+fmt.Sprintf(format, args...))
	}
	err = v.of.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Product(product)}, func(it table.Item) error {
		at, ok := placeOf(it)
		if !ok {
			return nil
		}
		read, err := parse(it)
		if err != nil {
			return err
		}
		if read.Generation < now.Generation {
			differ(at, "it is left over from before the last rebuild")
		}
		have := read.as(now.Generation)
		for _, attribute := range union(have, want[at]) {
			if a, b := have[attribute], want[at][attribute]; !a.Same(b) {
				differ(at, "of attribute %q it counts %s, the comments have %s", attribute, spell(a), spell(b))
			}
		}
		delete(want, at)
		return nil
	})
	for _, at := range slices.SortedFunc(maps.Keys(want), comparePlaces) {
		differ(at, "it is missing, the comments have %d attributes there", len(want[at]))
	}
	return differences, err
}

func union(a, b map[string]summary.Summary) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]summary.Summary{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func spell(s summary.Summary) string {
	return fmt.Sprintf("%d numbers with the sum %s, choices %v, %d others, %v", s.Numbers, s.Sum, s.Choices, s.Others, s.Histogram())
}

// add adds a comment to a sum.
func (s *Summaries) add(ctx context.Context, sum deltas, c *item.Stored) error {
	values, err := s.Change(ctx, nil, c)
	sum.add(c.ProductID, values)
	return err
}

// recount adds up the comments of a product.
func (s *Summaries) recount(ctx context.Context, product string) (deltas, error) {
	sum := deltas{}
	err := item.EachWhole(ctx, s.t, product, func(_ table.Item, c *item.Stored) error {
		if c = c.OrHidden(); c == nil || c.ProductID != product {
			return nil
		}
		return s.add(ctx, sum, c)
	})
	return sum, err
}
