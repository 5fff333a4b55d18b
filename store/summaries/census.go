package summaries

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	share      *projector.Share

	mu       sync.Mutex
	products map[string]prints
}

// prints are the fingerprints of a product's comments, and of its items.
type prints struct {
	comments, items uint64
	wrong           bool // an item is of an older generation
}

// heldBytes is about what a census holds of a product.
const heldBytes = 100

// add changes the fingerprints of a product.
func (c *census) add(product string, change func(*prints)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.products[product]
	if !ok {
		product = strings.Clone(product)
		c.share.Hold(heldBytes + len(product))
	}
	change(&p)
	c.products[product] = p
}

// Census begins a comparison with the comments.
func (s *Summaries) Census(now settings.Settings, share *projector.Share) projector.Census {
	return &census{of: s, generation: now.Generation, share: share, products: map[string]prints{}}
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
		if !c.share.Has(comment.ProductID) {
			return nil
		}
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
		c.add(comment.ProductID, func(p *prints) { p.comments = summary.AddFingerprints(p.comments, print) })
		return nil
	}
	at, ok := placeOf(it)
	if !ok || !c.share.Has(at.ProductID) {
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
	c.add(at.ProductID, func(p *prints) {
		p.items = summary.AddFingerprints(p.items, print)
		p.wrong = p.wrong || read.generation < c.generation
	})
	return nil
}

// Suspects returns the products whose summaries do not agree with what the scan saw.
func (c *census) Suspects() []string {
	var suspects []string
	for product, p := range c.products {
		if p.wrong || p.comments != p.items {
			suspects = append(suspects, product)
		}
	}
	slices.Sort(suspects)
	return suspects
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
