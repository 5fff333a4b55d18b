package moderation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Verifiers compares the places in the queue with the comments that are to be in it, and
// the queue's counts with how many these are.
func (m *Moderation) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	queue := index.Entries{
		About: "product", Kind: "comments in the queue of moderators",
		Subject: productOf, Of: queuedOf, Sources: index.ByID(m.t),
		Found: func(ctx context.Context, _ string, ids []string, each index.EachItem) error {
			var keys []table.Item
			for _, id := range ids {
				keys = append(keys, table.KeyOf(key.Case(id), key.QueuedSK))
			}
			return m.t.GetMany(ctx, keys, true, func(it table.Item) error { return each(it, nil) })
		},
		Name: func(id string) string { return "moderation queue entries of comment " + id },
	}
	counts := index.Recount[string, part, counts]{
		Aggregate: m.items(), About: "counts of the queue",
		KeyOf: func(it table.Item) (string, bool) {
			pk := table.Text(it, key.PK)
			return pk, key.IsCasePart(pk)
		},
		Subject: func(pk string) string { return pk },
		CountedIn: func(c *item.Stored) string {
			if !c.InQueue() {
				return ""
			}
			return key.CasePart(c.ProductID)
		},
		Count: func(_ context.Context, sums map[string]counts, c *item.Stored) error {
			pk := key.CasePart(c.ProductID)
			if sums[pk] == nil {
				sums[pk] = counts{}
			}
			sums[pk].add(c.QueuedAs(), 1)
			return nil
		},
		Sum: func(p part) counts { return p.counts },
		Print: func(pk string, sum counts) (print stats.Print) {
			for name, n := range sum {
				print = print.Plus(stats.PrintOf(n, pk, name))
			}
			return print
		},
		Comments:  m.eachQueued,
		Partition: func(pk string) string { return pk },
		Name:      func(string) string { return key.CasesSK },
		Diff:      diff,
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

// diff lists in what counts differ from the comments in the queue.
func diff(_ string, has part, comments counts) (differences []string) {
	names := maps.Clone(comments)
	if names == nil {
		names = counts{}
	}
	maps.Copy(names, has.counts)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if n, want := has.counts[name], comments[name]; n != want {
			differences = append(differences,
				fmt.Sprintf("it counts %d that are %s, the comments are %d", n, name, want))
		}
	}
	return differences
}

// eachQueued calls each with every comment in the queue.
func (m *Moderation) eachQueued(ctx context.Context, _ string, each index.EachItem) error {
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
