package projector

import (
	"cmp"
	"hash/fnv"
	"strings"

	"product-comments/store/derive/index"
)

// CompareSequence orders the sequence numbers of a shard: decimal numbers of any length, perhaps
// with leading zeros. The empty string comes first.
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

// Divide calls to with the bucket and change of a record. If the comment moved to a product in
// another bucket, it calls to for both buckets, with a part of the change each. It does not call to
// for a record that no index needs. It returns an Internal error for a damaged item.
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
		parts = []index.Change{c} // the bucket's checkpoint moves past both parts at once
	}
	for _, part := range parts {
		to(BucketOf(part.Subject().Product), part)
	}
	return nil
}

// watch calls to with a record of an item other than a comment, and the bucket of the product that
// it concerns.
func (p *Projector) watch(r index.Record, to func(bucket int, c index.Change)) error {
	product, ok, err := p.engine.Product(r)
	if ok && err == nil {
		to(BucketOf(product), index.Change{Sequence: r.Sequence, Created: r.Created, Other: &r})
	}
	return err
}
