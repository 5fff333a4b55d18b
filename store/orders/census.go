package orders

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Marks are written with the orders that they count, so nothing is kept from the stream.
var _ projector.Derived = (*Orders)(nil)

// heldBytes is about what a census holds of a person.
const heldBytes = 60

// Census compares marks of purchases with orders.
func (o *Orders) Census(_ settings.Settings, share *projector.Share) projector.Census {
	return &census{o: o, share: share, seed: maphash.MakeSeed(), sums: map[string]uint64{}}
}

// census adds up the purchases of each person, once by their orders and once, negative, by
// their marks: a sum that is not zero is a difference.
type census struct {
	o     *Orders
	share *projector.Share
	seed  maphash.Seed
	marks atomic.Int64

	mu   sync.Mutex
	sums map[string]uint64 // by username; those that are not zero
}

// About names what suspects are.
func (c *census) About() string { return "user" }

func (c *census) See(ctx context.Context, it table.Item, _ *item.Stored) error {
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	if username, product, ok := key.BoughtBy(pk, sk); ok {
		if !c.share.Has(username) {
			return nil
		}
		n, err := table.Number(it, attrCount)
		c.marks.Add(1)
		c.add(username, product, -n)
		return err
	}
	if _, isUser := key.Username(pk); !isUser || !strings.HasPrefix(sk, key.Order("")) {
		return nil
	}
	order, err := orderOf(it)
	if err != nil || !order.Status.counts() || isNobody(order.Username) || !c.share.Has(order.Username) {
		return err
	}
	if order, err = c.o.Whole(ctx, it); err != nil {
		return err
	}
	for _, product := range order.products() {
		c.add(order.Username, product, 1)
	}
	return nil
}

// add adds a number of purchases to somebody's sum.
func (c *census) add(username, product string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum, held := c.sums[username]
	if !held {
		username = strings.Clone(username)
		c.share.Hold(heldBytes + len(username))
	}
	if sum += uint64(n) * maphash.String(c.seed, product); sum == 0 {
		c.share.Hold(-heldBytes - len(username))
		delete(c.sums, username)
		return
	}
	c.sums[username] = sum
}

func (c *census) Suspects() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.sums))
}

// Compare compares somebody's marks with their orders, as they are now.
func (c *census) Compare(ctx context.Context, username string) (differences []string, err error) {
	want, got := map[string]int{}, map[string]int{}
	err = c.o.t.Each(ctx, key.Partition{Index: key.Table, Value: key.User(username)}, func(it table.Item) error {
		if _, product, ok := key.BoughtBy(table.Text(it, key.PK), table.Text(it, key.SK)); ok {
			got[product], err = table.Number(it, attrCount)
			return err
		}
		id, ok := key.OrderID(table.Text(it, key.SK))
		if !ok {
			return nil
		}
		order, err := c.o.standing(ctx, id)
		if err != nil || !order.Status.counts() || order.Username != username || isNobody(username) {
			return err
		}
		for _, product := range order.products() {
			want[product]++
		}
		return nil
	})
	for product, n := range want {
		if got[product] != n {
			differences = append(differences, fmt.Sprintf("%d delivered orders have product %q, and the mark counts %d", n, product, got[product]))
		}
	}
	for product, n := range got {
		if n != 0 && want[product] == 0 {
			differences = append(differences, fmt.Sprintf("no delivered order has product %q, and the mark counts %d", product, n))
		}
	}
	slices.Sort(differences)
	return differences, err
}

func (c *census) Count() (kind string, items int64) {
	if n := c.marks.Load(); n > 0 {
		return "marks of purchases", n
	}
	return "", 0
}
