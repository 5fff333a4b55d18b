package powerset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// census is what a scan finds of copies.
type census struct {
	of    *PowerSets
	now   settings.Settings
	share *projector.Share

	mu     sync.Mutex
	seen   map[string]map[string]bool // by product, partitions with copies
	copies int64
}

// heldBytes is about what a census holds of a partition.
const heldBytes = 100

// Census begins a comparison with the comments.
func (p *PowerSets) Census(now settings.Settings, share *projector.Share) projector.Census {
	return &census{of: p, now: now, share: share, seen: map[string]map[string]bool{}}
}

// See notes where copies are.
func (c *census) See(_ context.Context, it table.Item, _ *item.Stored) error {
	pk := table.Text(it, key.PK)
	product, _, _, ok := key.ParsePowerSet(pk)
	if !ok || !c.share.Has(product) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.copies++
	if c.seen[product][pk] {
		return nil
	}
	pk = strings.Clone(pk)
	if c.seen[product] == nil {
		c.seen[strings.Clone(product)] = map[string]bool{}
	}
	c.seen[product][pk] = true
	c.share.Hold(heldBytes + len(pk))
	return nil
}

// Count returns how many copies there are.
func (c *census) Count() (string, int64) { return "copies", c.copies }

// Suspects returns the products that have copies, or should: each is compared.
func (c *census) Suspects() []string {
	suspects := map[string]bool{}
	for product := range c.seen {
		suspects[product] = true
	}
	for product, state := range c.now.PowerSets {
		if state == settings.PowerSetReady && c.share.Has(product) {
			suspects[product] = true
		}
	}
	return slices.Sorted(maps.Keys(suspects))
}

// Compare compares the copies of a product's comments, in the partitions where
// some were seen, with those that there should be.
func (c *census) Compare(ctx context.Context, product string) (differences []string, err error) {
	now, err := c.of.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	state := now.PowerSets[product]
	if state != settings.PowerSetOff && state != settings.PowerSetReady {
		return nil, nil // they are being made or removed
	}
	want := map[string]map[string]bool{} // partition to what is in it
	for pk := range c.seen[product] {
		want[pk] = map[string]bool{}
	}
	if state == settings.PowerSetReady {
		err := item.Each(ctx, c.of.t, product, func(comment *item.Stored) error {
			what, err := c.of.fingerprint(ctx, comment)
			for _, at := range placesOf(comment) {
				if want[at.pk] == nil {
					want[at.pk] = map[string]bool{}
				}
				want[at.pk][what] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, pk := range slices.Sorted(maps.Keys(want)) {
		missing, extra := maps.Clone(want[pk]), 0
		err := c.of.eachCopy(ctx, product, key.Partition{Index: key.Table, Value: pk}, func(what string) {
			if !missing[what] {
				extra++
			}
			delete(missing, what)
		})
		if err != nil {
			return nil, err
		}
		if len(missing) > 0 || extra > 0 {
			differences = append(differences, fmt.Sprintf("copies in %s: %d are missing or outdated, %d do not belong there", pk, len(missing), extra))
		}
	}
	return differences, nil
}

// eachCopy calls each with what the copies in a partition show.
func (p *PowerSets) eachCopy(ctx context.Context, product string, in key.Partition, each func(what string)) error {
	return p.t.Each(ctx, in, func(it table.Item) error {
		c, err := item.Read(it, product)
		if err != nil {
			return err
		}
		what, err := p.fingerprint(ctx, &c)
		each(what)
		return err
	})
}

// spell returns an attribute value as text, of one of the types that comments have.
func spell(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

// fingerprint stands for what a copy shows of a comment, however its texts are
// packed: copies that were packed later, or with another dictionary, are right.
// It is short, because a comparison holds it for every copy of a product.
func (p *PowerSets) fingerprint(ctx context.Context, c *item.Stored) (string, error) {
	if err := c.UnpackWith(ctx, p.settings); err != nil {
		return "", err
	}
	shown := fmt.Appendf(nil, "%q %v", c.SortKey, c.TextElsewhere)
	plain := item.Of(c, nil)
	for _, name := range item.Projected {
		shown = fmt.Appendf(shown, " %s %q", name, spell(plain[name]))
	}
	sum := sha256.Sum256(shown)
	return string(sum[:12]), nil
}
