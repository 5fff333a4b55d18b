package moderation

import (
	"context"
	"fmt"

	"product-comments/store/errs"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// Queue is a part of the queue: comments in a state, of published ones those that were
// reported.
type Queue struct {
	State    item.State
	Language string // canonical; empty for any
	Reported *bool  // nil for any
}

// Scope names the part, for cursors.
func (q Queue) Scope() string {
	reported := "any"
	if q.Reported != nil {
		reported = fmt.Sprint(*q.Reported)
	}
	return fmt.Sprintf("%s/%s/%s", q.State, q.Language, reported)
}

// Has tells whether a comment is in the part.
func (q Queue) Has(c *item.Stored) bool {
	return c.InQueue() && c.State == q.State && (q.Language == "" || c.Language == q.Language) && (q.Reported == nil || *q.Reported == (c.Reports > 0))
}

// partitions returns what has the part's comments.
func (q Queue) partitions() []key.Partition {
	out := make([]key.Partition, key.QueueParts)
	for i := range out {
		in := key.QueuedIn(q.State.String(), q.Language, q.Reported != nil && *q.Reported, i)
		switch {
		case q.Language == "" && q.Reported == nil:
			out[i] = in.All
		case q.Reported == nil:
			out[i] = in.ByLang
		case q.Language == "":
			out[i] = in.ByReported
		default:
			out[i] = in.ByLangAndReported
		}
	}
	return out
}

// block is how many entries of the queue are read for what a query costs at least.
const block = 15

// Page reads which comments are in a window of the queue, oldest first: half a read
// unit a partition, of which there are key.QueueParts. A comment that came or went a
// moment ago may be missing or there still. It returns an Unavailable error if the store
// does not answer.
func (m *Moderation) Page(ctx context.Context, q Queue, w list.Window[key.Position]) (list.Page[key.Position], error) {
	w.Ascending = true
	p := plan.Plan{Strategy: plan.Merge, Limit: w.Limit}
	for _, in := range q.partitions() {
		p.Reads = append(p.Reads, plan.Read{Partition: in, Limit: max(block, w.Limit/key.QueueParts), Share: 1})
	}
	found, cost, err := exec.Page(ctx, p, w.Range(), m.fetch)
	table.Spent(ctx, cost.Units, cost.RoundTrips)
	if err != nil {
		return list.Page[key.Position]{}, err
	}
	places := make([]key.Position, len(found))
	for i := range found {
		places[i] = found[i].At
	}
	return list.PageOf(w, places), nil
}

// fetch queries a partition of the queue.
func (m *Moderation) fetch(ctx context.Context, r exec.Request) (b exec.Batch[struct{}], err error) {
	within, meter := table.WithMeter(ctx)
	q := table.Query{Partition: r.Partition, Descending: r.Descending, Limit: r.Limit}
	if r.After != nil {
		q.After = startKey(r.Partition, *r.After)
	}
	if r.Until != nil {
		q.Until = r.Until.SortKey()
	}
	items, next, err := m.t.Query(within, q)
	if err != nil {
		return b, err
	}
	b.Units, _ = meter.Read()
	for _, it := range items {
		sort := table.Text(it, key.GSISK)
		at, ok := key.ParseSortKey(sort)
		if !ok {
			return b, table.Damaged(it, errs.Errorf(errs.Internal, "it is in the queue at no place"))
		}
		b.Items = append(b.Items, exec.Item[struct{}]{SortKey: sort, At: at})
	}
	if next != nil {
		at, ok := key.ParseSortKey(next[key.GSISK])
		if !ok {
			return b, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the sort key %q", next[key.GSISK])
		}
		b.Next = &at
	}
	return b, nil
}

// startKey returns the LastEvaluatedKey of a query of the queue that ended at a comment.
func startKey(in key.Partition, at key.Position) map[string]string {
	return map[string]string{
		in.Index.PartitionKey: in.Value, key.GSISK: at.SortKey(),
		key.PK: key.Case(at.CommentID), key.SK: key.QueuedSK,
	}
}
