package summaries

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// census compares fingerprints first, since what all comments of a table come to is
// too much to hold.
type census struct {
	of         *Summaries
	generation int

	mu       sync.Mutex
	comments map[string]uint64 // by product
	items    map[string]uint64
	wrong    map[string]bool // products with items of an older generation
}

// Census begins a comparison with the comments.
func (s *Summaries) Census(now settings.Settings) projector.Census {
	return &census{of: s, generation: now.Generation, comments: map[string]uint64{}, items: map[string]uint64{}, wrong: map[string]bool{}}
}

// Count reports nothing: there are as many summaries as products and languages ask for.
func (c *census) Count() (string, int64) { return "", 0 }

// fingerprint is that of a summary in its place.
func fingerprint(at Place, attribute string, s summary.Summary) uint64 {
	return s.Fingerprint(at.Language + "\x00" + attribute)
}

// See adds the fingerprint of a comment, or of an item.
func (c *census) See(ctx context.Context, it table.Item, comment *item.Stored) error {
	if comment != nil {
		one := deltas{}
		if err := c.of.add(ctx, one, comment); err != nil || len(one) == 0 {
			return err
		}
		print := uint64(0)
		for at, of := range one {
			for attribute, s := range of {
				print = summary.AddFingerprints(print, fingerprint(at, attribute, s))
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.comments[comment.ProductID] = summary.AddFingerprints(c.comments[comment.ProductID], print)
		return nil
	}
	at, ok := placeOf(it)
	if !ok {
		return nil
	}
	read, err := parse(it)
	if err != nil {
		return err
	}
	print := uint64(0)
	for attribute, s := range read.as(c.generation) {
		print = summary.AddFingerprints(print, fingerprint(at, attribute, s))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[at.ProductID] = summary.AddFingerprints(c.items[at.ProductID], print)
	if read.generation < c.generation {
		c.wrong[at.ProductID] = true
	}
	return nil
}

// Suspects returns the products whose summaries do not agree with what the scan saw.
func (c *census) Suspects() []string {
	suspects := maps.Clone(c.wrong)
	for _, prints := range []map[string]uint64{c.comments, c.items} {
		for product := range prints {
			if c.comments[product] != c.items[product] {
				suspects[product] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(suspects))
}

// Compare compares one product with its comments, each of which it reads by itself:
// indexes do not carry attributes.
func (c *census) Compare(ctx context.Context, product string) (differences []string, err error) {
	now, err := c.of.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	want, err := c.of.recount(ctx, product)
	if err != nil {
		return nil, err
	}
	differ := func(at Place, format string, args ...any) {
		differences = append(differences, key.SummariesSK(at.Part, at.Language)+": "+fmt.Sprintf(format, args...))
	}
	err = c.of.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Product(product)}, func(it table.Item) error {
		at, ok := placeOf(it)
		if !ok {
			return nil
		}
		read, err := parse(it)
		if err != nil {
			return err
		}
		if read.generation < now.Generation {
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
	var batch []table.Item
	take := func() error {
		var found []item.Stored
		var damage error
		err := s.t.GetMany(ctx, batch, true, func(it table.Item) {
			if item.IsHidden(it) {
				return
			}
			c, err := item.Read(it, "")
			if err != nil {
				damage = err
			}
			found = append(found, c)
		})
		batch = batch[:0]
		if err == nil {
			err = damage
		}
		for i := range found {
			if err == nil && found[i].ProductID == product {
				err = s.add(ctx, sum, &found[i])
			}
		}
		return err
	}
	err := item.Each(ctx, s.t, product, func(c *item.Stored) error {
		if batch = append(batch, table.Key(key.Comment(c.ID))); len(batch) == table.MaxBatchGet {
			return take()
		}
		return nil
	})
	if err == nil {
		err = take()
	}
	return sum, err
}
