package columns

import (
	"context"
	"fmt"
	"hash/maphash"
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

// census is what a scan finds of entries, and of those that comments demand.
type census struct {
	of *Columns

	share *projector.Share

	mu         sync.Mutex
	sums       map[string]sum    // by product, of what comments demand less what there is; those that are not zero
	attributes []string          // of columns in which entries were seen
	numbers    map[string]uint32 // of them
	entries    int64
}

// heldBytes is about what a census holds of a product.
const heldBytes = 200

// sum stands for a set of entries: how many there are, and the sum of their digests.
// Two different sets hardly ever have the same.
type sum struct {
	entries int64
	digests uint64
	columns []uint32 // numbers of the attributes of entries; not in all sums
}

func (s *sum) add(digest uint64) {
	s.entries++
	s.digests += digest
}

func (s *sum) same(o *sum) bool { return s.entries == o.entries && s.digests == o.digests }

// Census begins a comparison with the comments.
func (c *Columns) Census(_ settings.Settings, share *projector.Share) projector.Census {
	return &census{of: c, share: share, sums: map[string]sum{}, numbers: map[string]uint32{}}
}

// See adds up an entry, or those that a comment demands.
func (c *census) See(ctx context.Context, it table.Item, comment *item.Stored) error {
	if comment != nil {
		if !c.share.Has(comment.ProductID) {
			return nil
		}
		entries, err := c.of.demanded(ctx, &projector.Image{Stored: *comment, Item: it})
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, e := range entries {
			c.add(comment.ProductID, sum{entries: 1, digests: digest(e)})
		}
		return nil
	}
	product, attribute, _, ok := key.ParseColumn(table.Text(it, key.PK))
	if !ok || !c.share.Has(product) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries++
	number, known := c.numbers[attribute]
	if !known {
		number, attribute = uint32(len(c.attributes)), strings.Clone(attribute)
		c.attributes, c.numbers[attribute] = append(c.attributes, attribute), number
	}
	c.add(product, sum{-1, -digest(it), []uint32{number}})
	return nil
}

// add adds to the sum of a product.
func (c *census) add(product string, one sum) {
	s, ok := c.sums[product]
	if !ok {
		product = strings.Clone(product)
		c.share.Hold(heldBytes + len(product))
	}
	s.entries, s.digests = s.entries+one.entries, s.digests+one.digests
	for _, number := range one.columns {
		if !slices.Contains(s.columns, number) {
			s.columns = append(s.columns, number)
		}
	}
	if s.same(&sum{}) {
		c.share.Hold(-heldBytes - len(product))
		delete(c.sums, product)
		return
	}
	c.sums[product] = s
}

func of[K comparable](sums map[K]*sum, k K) *sum {
	s := sums[k]
	if s == nil {
		s = &sum{}
		sums[k] = s
	}
	return s
}

// Count returns how many entries there are.
func (c *census) Count() (string, int64) {
	if c.entries == 0 {
		return "", 0
	}
	return "entries of columns", c.entries
}

// Suspects returns the products whose entries were not those that their comments
// demand, while the table was scanned.
func (c *census) Suspects() []string {
	return slices.Sorted(maps.Keys(c.sums))
}

// Compare compares the entries of a product, column by column, with those that its
// comments demand.
func (c *census) Compare(ctx context.Context, product string) (differences []string, err error) {
	want, has := map[column]*sum{}, map[column]*sum{}
	err = c.of.eachDemanded(ctx, product, func(in column, e table.Item) { of(want, in).add(digest(e)) })
	if err != nil {
		return nil, err
	}
	all := map[column]bool{}
	for _, number := range c.sums[product].columns {
		all[column{product, c.attributes[number]}] = true
	}
	for in := range want {
		all[in] = true
	}
	ordered := slices.SortedFunc(maps.Keys(all), func(a, b column) int {
		return slices.Compare([]string{a.attribute}, []string{b.attribute})
	})
	for _, in := range ordered {
		if err := c.of.eachEntry(ctx, in, func(e table.Item) { of(has, in).add(digest(e)) }); err != nil {
			return nil, err
		}
		if of(has, in).same(of(want, in)) {
			continue
		}
		what, err := c.of.compareColumn(ctx, in)
		if err != nil {
			return nil, err
		}
		if what != "" {
			differences = append(differences, what)
		}
	}
	return differences, nil
}

// compareColumn says how the entries of a column are not those that comments demand,
// nothing if they are.
func (c *Columns) compareColumn(ctx context.Context, in column) (string, error) {
	missing, extra := map[uint64]bool{}, 0
	err := c.eachDemanded(ctx, in.product, func(of column, e table.Item) {
		if of == in {
			missing[digest(e)] = true
		}
	})
	if err != nil {
		return "", err
	}
	err = c.eachEntry(ctx, in, func(e table.Item) {
		d := digest(e)
		if !missing[d] {
			extra++
		}
		delete(missing, d)
	})
	if err != nil || len(missing) == 0 && extra == 0 {
		return "", err
	}
	name := "the column of " + in.attribute
	if in.attribute == bare {
		name = "the column of comments without attributes"
	}
	return fmt.Sprintf("%s: %d entries are missing or outdated, %d do not belong there", name, len(missing), extra), nil
}

// demanded returns the entries that a comment demands, by column.
func (c *Columns) demanded(ctx context.Context, im *projector.Image) (map[column]table.Item, error) {
	if !concerns(im) {
		return nil, nil
	}
	d, err := c.at(ctx, versionOf(im))
	if err != nil {
		return nil, err
	}
	out := map[column]table.Item{}
	for in, at := range placesOf(im, d) {
		out[in] = entry(im, in, at, 0)
	}
	return out, nil
}

// eachDemanded calls each with every entry that the comments of a product demand.
func (c *Columns) eachDemanded(ctx context.Context, product string, each func(column, table.Item)) error {
	var keys []table.Item
	look := func() error {
		var failed error
		err := c.t.GetMany(ctx, keys, true, func(it table.Item) {
			if item.IsHidden(it) || failed != nil {
				return
			}
			stored, err := item.Read(it, "")
			if err != nil {
				failed = err
				return
			}
			entries, err := c.demanded(ctx, &projector.Image{Stored: stored, Item: it})
			for in, e := range entries {
				each(in, e)
			}
			failed = err
		})
		keys = keys[:0]
		if err == nil {
			err = failed
		}
		return err
	}
	err := c.t.Each(ctx, key.PartitionAll(product), func(it table.Item) error {
		if keys = append(keys, table.Primary(it)); len(keys) < table.MaxBatchGet {
			return nil
		}
		return look()
	})
	if err != nil {
		return err
	}
	return look()
}

// eachEntry calls each with the entries of a column.
func (c *Columns) eachEntry(ctx context.Context, in column, each func(table.Item)) error {
	partitions := []key.Partition{key.ColumnBare(in.product)}
	if in.attribute != bare {
		partitions = []key.Partition{key.ColumnValues(in.product, in.attribute), key.ColumnMissing(in.product, in.attribute)}
	}
	for _, p := range partitions {
		if err := c.t.Each(ctx, p, func(it table.Item) error { each(it); return nil }); err != nil {
			return err
		}
	}
	return nil
}

var digestSeed = maphash.MakeSeed()

// digest stands for an entry, but for its generation.
func digest(it table.Item) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for _, name := range slices.Sorted(maps.Keys(it)) {
		if name != attrGeneration {
			h.WriteString(name)
			digestValue(&h, it[name])
		}
	}
	return h.Sum64()
}

func digestValue(h *maphash.Hash, v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		fmt.Fprintf(h, "S%q", v.Value)
	case *types.AttributeValueMemberN:
		fmt.Fprintf(h, "N%q", v.Value)
	case *types.AttributeValueMemberB:
		fmt.Fprintf(h, "B%q", v.Value)
	case *types.AttributeValueMemberBOOL:
		fmt.Fprintf(h, "T%v", v.Value)
	case *types.AttributeValueMemberM:
		fmt.Fprintf(h, "M%d", len(v.Value))
		for _, name := range slices.Sorted(maps.Keys(v.Value)) {
			fmt.Fprintf(h, "%q", name)
			digestValue(h, v.Value[name])
		}
	}
}
