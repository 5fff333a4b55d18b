package projector

import (
	"cmp"
	"hash/fnv"
	"strings"

	"product-comments/store/index"
)

// CompareSequence orders the sequence numbers of a shard, which are decimal
// numbers of any length, perhaps with leading zeros. Empty comes first.
func CompareSequence(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// BucketOf returns the bucket of a product, from 0 to Buckets-1.
func BucketOf(product string) int {
	h := fnv.New64a()
	h.Write([]byte(product))
	return int(h.Sum64() % Buckets)
}

// Divide divides a record among buckets of products: usually it goes to one, and
// to two if the comment went from one product to another, of which each gets its part.
// A record of no interest goes to none. It returns an Internal error for a damaged item.
func (p *Projector) Divide(r index.Record, to func(bucket int, c index.Change)) error {
	c, ok, err := index.ChangeOf(r)
	if err != nil {
		return err
	}
	if !ok {
		return p.watch(r, to)
	}
	parts := c.ByProduct()
	first, last := parts[0].Subject(), parts[len(parts)-1].Subject()
	if BucketOf(first.Product) == BucketOf(last.Product) {
		parts = []index.Change{c} // the bucket's checkpoint passes over both at once
	}
	for _, part := range parts {
		to(BucketOf(part.Subject().Product), part)
	}
	return nil
}

// watch gives a record that is not about a comment to the bucket of the product that it
// concerns.
func (p *Projector) watch(r index.Record, to func(bucket int, c index.Change)) error {
	product, ok, err := p.engine.Product(r)
	if ok && err == nil {
		to(BucketOf(product), index.Change{Sequence: r.Sequence, Created: r.Created, Other: &r})
	}
	return err
}
