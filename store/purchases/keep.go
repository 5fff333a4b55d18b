package purchases

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

var (
	_ projector.Derived = (*Purchases)(nil)
	_ projector.Watcher = (*Purchases)(nil)
)

// purchase is somebody's of a product.
type purchase struct{ username, product string }

// Watches is part of projector.Watcher.
func (p *Purchases) Watches() []projector.Keys {
	pk, sk := key.OfAnyPurchase()
	return []projector.Keys{{PK: pk, SK: sk}}
}

// Watch is part of projector.Watcher: marks that come to say something else concern the
// comments about their products.
func (p *Purchases) Watch(r projector.Record) (product string, ok bool, err error) {
	of, ok := markOf(r)
	if !ok {
		return "", false, nil
	}
	before, err := orders.IsBought(r.Before)
	if err != nil {
		return "", false, err
	}
	after, err := orders.IsBought(r.After)
	return of.product, before != after, err
}

func markOf(r projector.Record) (of purchase, ok bool) {
	it := r.After
	if it == nil {
		it = r.Before
	}
	of.username, of.product, ok = key.BoughtBy(table.Text(it, key.PK), table.Text(it, key.SK))
	return of, ok
}

// Gather implements projector.Derived.
func (p *Purchases) Gather(settings.Settings) projector.Gathering {
	return &gathering{of: p, settle: map[purchase]bool{}, look: map[purchase]bool{}}
}

// gathering is what one transaction's changes concern.
type gathering struct {
	of     *Purchases
	settle map[purchase]bool // whose marks changed
	look   map[purchase]bool // whose comments come anew; what they say
}

// Needs implements projector.Gathering: nothing is written with a change.
func (g *gathering) Needs(projector.Change) int { return 0 }

// Take notes what a mark says, and comments that a rebuild touched: it comes because
// records were lost, perhaps those of marks.
func (g *gathering) Take(c projector.Change) {
	if c.Other != nil {
		if of, ok := markOf(*c.Other); ok {
			g.settle[of] = true
		}
		return
	}
	if c.Was != nil && c.Is != nil && c.Is.Follows && c.Was.Generation < c.Is.Generation {
		of := purchase{c.Is.Owner, c.Is.ProductID}
		if said, twice := g.look[of]; twice && said != c.Is.IsVerified() {
			g.settle[of] = true // one of both is wrong
		}
		g.look[of] = c.Is.IsVerified()
	}
}

// settlers is how many purchases are settled at once.
const settlers = 8

// Writes settles what was gathered. It needs no part in the transaction that follows.
func (g *gathering) Writes(ctx context.Context) ([]table.Write, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(settlers)
	for of := range g.settle {
		group.Go(func() error { return g.of.Settle(ctx, of.username, of.product) })
	}
	for of, said := range g.look {
		if g.settle[of] {
			continue
		}
		group.Go(func() error {
			bought, err := g.of.Of(ctx, of.username, of.product)
			if err != nil || bought == said {
				return err
			}
			return g.of.Settle(ctx, of.username, of.product)
		})
	}
	return nil, group.Wait()
}

// Tend implements projector.Derived: nothing is due by time.
func (p *Purchases) Tend(context.Context) error { return nil }

// BeginAnew implements projector.Derived: comments go on saying what they say.
func (p *Purchases) BeginAnew(*settings.Settings) {}

// EndAnew implements projector.Derived.
func (p *Purchases) EndAnew(*settings.Settings) {}

// Leftover implements projector.Derived.
func (p *Purchases) Leftover(table.Item, int) (table.Write, bool) { return table.Write{}, false }

// Census begins a comparison of what comments say with their owners' marks: a read unit
// for each that follows one.
func (p *Purchases) Census(_ settings.Settings, share *projector.Share) projector.Census {
	return &census{of: p, share: share, suspects: map[string][]string{}}
}

// heldBytes is about what a census holds of a comment that differs: its id, with what was
// read with it.
const heldBytes = 4 << 10

type census struct {
	of       *Purchases
	share    *projector.Share
	mu       sync.Mutex
	suspects map[string][]string // ids of comments, by product
}

// See is part of projector.Census.
func (c *census) See(ctx context.Context, it table.Item, _ *item.Stored) error {
	product, id, wrong, err := c.differs(ctx, it)
	if err != nil || wrong == "" {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspects[product] = append(c.suspects[product], id)
	c.share.Hold(heldBytes)
	return nil
}

// differs says how a comment differs from its owner's mark; nothing if it does not, or
// is no comment that follows one.
func (c *census) differs(ctx context.Context, it table.Item) (product, id, wrong string, err error) {
	if !follows(it) {
		return "", "", "", nil
	}
	stored, err := item.Read(it, "")
	if err != nil || !c.share.Has(stored.ProductID) {
		return "", "", "", err
	}
	bought, err := c.of.Of(ctx, stored.Owner, stored.ProductID)
	if err == nil && (stored.VerifiedPurchase == nil || *stored.VerifiedPurchase != bought) {
		wrong = fmt.Sprintf("whether who wrote comment %s bought the product is %t, by their orders %t", stored.ID, stored.IsVerified(), bought)
	}
	return stored.ProductID, stored.ID, wrong, err
}

// Suspects is part of projector.Census.
func (c *census) Suspects() (products []string) {
	for product := range c.suspects {
		products = append(products, product)
	}
	slices.Sort(products)
	return products
}

// Compare is part of projector.Census.
func (c *census) Compare(ctx context.Context, product string) (differences []string, err error) {
	for _, id := range c.suspects[product] {
		it, err := c.of.t.Get(ctx, "the comment", table.Key(key.Comment(id)))
		if err != nil {
			return nil, err
		}
		_, _, wrong, err := c.differs(ctx, it)
		if err != nil {
			return nil, err
		}
		if wrong != "" {
			differences = append(differences, wrong)
		}
	}
	return differences, nil
}

// Count is part of projector.Census.
func (c *census) Count() (string, int64) { return "", 0 }
