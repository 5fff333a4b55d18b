package moderation

import (
	"context"
	"slices"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Verifiers compares the places in the queue with the comments that are to be in it, and
// the queue's counts with how many these are.
func (m *Moderation) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	queue := index.Entries{
		About: "product", Kind: "comments in the queue of moderators",
		Subject: productOf, Of: queuedOf, Sources: index.ByID(m.t),
		Found: func(ctx context.Context, _ string, ids []string, each index.EachItem) error {
			var keys, found []table.Item
			for _, id := range ids {
				keys = append(keys, table.KeyOf(key.Case(id), key.QueuedSK))
			}
			err := m.t.GetMany(ctx, keys, true, func(it table.Item) { found = append(found, it) })
			for _, it := range found {
				if err == nil {
					err = each(it, nil)
				}
			}
			return err
		},
		Name: func(id string) string { return "places in the queue of moderators of comment " + id },
	}
	counts := index.Entries{
		About: "counts of the queue", Shared: true,
		Subject: countsOf, Of: countedOf, Sources: m.eachQueued,
		Found: func(ctx context.Context, pk string, _ []string, each index.EachItem) error {
			it, err := m.t.Get(ctx, "counts of the queue", partKey(pk))
			if err != nil || it == nil {
				return err
			}
			return each(it, nil)
		},
		Name: func(counted string) string { return "comments that are " + counted },
	}
	return []index.Verifier{queue.Verify(now, share), counts.Verify(now, share)}
}

// productOf returns the product of a comment that is to be in the queue, or of a place in it.
func productOf(it table.Item, comment *item.Stored) string {
	if comment == nil {
		product, _ := item.QueuedOf(it)
		return product
	}
	if !comment.InQueue() {
		return ""
	}
	return comment.ProductID
}

// queuedOf returns the place in the queue that a comment demands, or an item is.
func queuedOf(_ context.Context, _ settings.Settings, it table.Item, comment *item.Stored) ([]index.Entry, error) {
	if comment != nil {
		return []index.Entry{{Unit: comment.ID, Digest: index.Digest(item.Queued(comment)), N: 1}}, nil
	}
	id, _ := key.CaseOf(table.Text(it, key.PK))
	return []index.Entry{{Unit: id, Digest: index.Digest(it), N: -1}}, nil
}

// countsOf returns the partition key of the counts in which a comment is, or that an item is.
func countsOf(it table.Item, comment *item.Stored) string {
	if comment != nil && comment.InQueue() {
		return key.CasePart(comment.ProductID)
	}
	if pk := table.Text(it, key.PK); key.IsCasePart(pk) {
		return pk
	}
	return ""
}

// countedOf returns as what a comment is counted, or what counts say.
func countedOf(_ context.Context, now settings.Settings, it table.Item, comment *item.Stored) (all []index.Entry, err error) {
	if comment != nil {
		return []index.Entry{{Unit: counted(comment), Digest: 1, N: 1}}, nil
	}
	p, err := parsePart(it)
	for name, n := range p.as(now.Generation) {
		all = append(all, index.Entry{Unit: name, Digest: 1, N: -n})
	}
	return all, err
}

// eachQueued calls each with every comment in the queue.
func (m *Moderation) eachQueued(ctx context.Context, _ string, _ []string, each index.EachItem) error {
	var ids []string
	for state := range item.States {
		err := index.EachIn(ctx, m.t, (Queue{State: state}).partitions(), func(it table.Item, _ *item.Stored) error {
			if id, ok := key.CaseOf(table.Text(it, key.PK)); ok {
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(ids) // one whose state changes may be twice
	return item.EachOf(ctx, m.t, slices.Compact(ids), each)
}
