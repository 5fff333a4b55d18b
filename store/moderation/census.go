package moderation

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
	"product-comments/store/table"
)

// census is what a scan finds of the queue and its counts, and of the comments that
// demand them.
type census struct {
	of         *Moderation
	generation int
	share      *projector.Share

	mu      sync.Mutex
	want    map[string]counts // by partition key
	has     map[string]counts
	entries int64
	// alone are comments of which the scan saw only that they are to be in the queue, or
	// only that they are.
	alone map[string]seen // by comment id
}

// seen is one of the two sides of a comment in the queue.
type seen struct {
	product string
	is      table.Item
}

// heldBytes is about what a census holds of a comment of which it saw one side: the keys
// of its entry, with what was read with them.
const heldBytes = 6 << 10

// Census begins a comparison with the comments.
func (m *Moderation) Census(now settings.Settings, share *projector.Share) projector.Census {
	return &census{of: m, generation: now.Generation, share: share, want: map[string]counts{}, has: map[string]counts{}, alone: map[string]seen{}}
}

// See takes comments in the queue, their entries, and counts.
func (c *census) See(_ context.Context, it table.Item, _ *item.Stored) error {
	pk := table.Text(it, key.PK)
	id, isComment := key.CommentID(pk)
	entryOf, isCase := key.CaseOf(pk)
	switch {
	case isComment && !item.IsDeleted(it):
		comment, err := item.Read(it, "")
		if err != nil || !comment.InQueue() {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.share.Has(key.CasePart(comment.ProductID)) {
			countIn(c.want, comment.ProductID, &comment)
		}
		if c.share.Has(comment.ProductID) {
			c.match(id, comment.ProductID, item.Queued(&comment))
		}
	case isCase:
		product, ok := item.QueuedOf(it)
		if !ok || !c.share.Has(product) {
			return nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.entries++
		c.match(entryOf, product, it)
	case key.IsCasePart(pk) && c.share.Has(pk):
		p, err := parsePart(it)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.has[pk] = p.as(c.generation)
	}
	return nil
}

func countIn(sums map[string]counts, product string, c *item.Stored) {
	pk := key.CasePart(product)
	if sums[pk] == nil {
		sums[pk] = counts{}
	}
	sums[pk].add(counted(c), 1)
}

// match forgets a comment of which both sides were seen, and are the same.
func (c *census) match(id, product string, it table.Item) {
	if other, ok := c.alone[id]; ok && table.Same(other.is, it) {
		c.share.Hold(-heldBytes)
		delete(c.alone, id)
		return
	} else if !ok {
		c.share.Hold(heldBytes)
	}
	c.alone[id] = seen{product, it}
}

// Count returns how many comments are in the queue.
func (c *census) Count() (string, int64) {
	if c.entries == 0 {
		return "", 0
	}
	return "comments in the queue of moderators", c.entries
}

// countsOf names the counts of a part where a product is named.
const countsOf = "counts of the queue "

// Suspects returns the products with comments that may be in the queue wrongly, and the
// counts that may be wrong.
func (c *census) Suspects() []string {
	suspects := map[string]bool{}
	for _, s := range c.alone {
		suspects[s.product] = true
	}
	for i := range key.CaseParts {
		if pk := key.CasePartition(i); !maps.Equal(c.want[pk], c.has[pk]) {
			suspects[countsOf+pk] = true
		}
	}
	return slices.Sorted(maps.Keys(suspects))
}

// Compare compares the suspects of a product, or counts, with the comments.
func (c *census) Compare(ctx context.Context, product string) (differences []string, err error) {
	if pk, ok := strings.CutPrefix(product, countsOf); ok {
		return c.compareCounts(ctx, pk)
	}
	for _, id := range slices.Sorted(maps.Keys(c.alone)) {
		if c.alone[id].product != product {
			continue
		}
		comment, entry, err := c.of.both(ctx, id)
		if err != nil {
			return nil, err
		}
		var want table.Item
		if comment != nil {
			want = item.Queued(comment)
		}
		if !table.Same(want, entry) {
			differences = append(differences, fmt.Sprintf("comment %s is in the queue of moderators %t, and should be %t, or at another place", id, entry != nil, want != nil))
		}
	}
	return differences, nil
}

// both reads a comment, nil if it is not there, and its entry in the queue.
func (m *Moderation) both(ctx context.Context, id string) (comment *item.Stored, entry table.Item, err error) {
	pk := key.Comment(id)
	var damage error
	err = m.t.GetMany(ctx, []table.Item{table.Key(pk), table.KeyOf(key.Case(id), key.QueuedSK)}, true, func(it table.Item) {
		switch {
		case table.Text(it, key.PK) != pk:
			entry = it
		case !item.IsDeleted(it):
			var read item.Stored
			read, damage = item.Read(it, "")
			comment = &read
		}
	})
	if err == nil {
		err = damage
	}
	return comment, entry, err
}

// compareCounts counts the queue, comment by comment.
func (c *census) compareCounts(ctx context.Context, pk string) ([]string, error) {
	sums := map[string]counts{}
	for state := range item.States {
		for _, in := range (Queue{State: state}).partitions() {
			err := c.of.t.Each(ctx, in, func(it table.Item) error {
				id, ok := key.CaseOf(table.Text(it, key.PK))
				if !ok {
					return nil
				}
				comment, _, err := c.of.both(ctx, id)
				if err == nil && comment != nil && comment.InQueue() && comment.State == state {
					countIn(sums, comment.ProductID, comment)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	it, err := c.of.t.Get(ctx, "counts of the queue", partKey(pk))
	if err != nil {
		return nil, err
	}
	p, err := parsePart(it)
	if err != nil || maps.Equal(p.as(c.generation), sums[pk]) {
		return nil, err
	}
	return []string{fmt.Sprintf("they are %v, the comments are %v", p.as(c.generation), sums[pk])}, nil
}
