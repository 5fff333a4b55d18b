package cases

import (
	"context"
	"fmt"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/scan"
)

// Queue is a part of the moderation queue: comments in a state. Published comments are in the
// queue if they were reported.
type Queue struct {
	State    item.State
	Language string // canonical; empty for any
	Reported *bool  // nil for any
	Created  key.Times
	item.Conditions
}

// Counted reports whether Totals count the part's comments.
func (q Queue) Counted() bool { return q.Created.Any() && q.Conditions == item.Conditions{} }

// Scope identifies the part, for cursors.
func (q Queue) Scope() string {
	reported := "any"
	if q.Reported != nil {
		reported = fmt.Sprint(*q.Reported)
	}
	return fmt.Sprintf("%s/%s/%s%s%s", q.State, q.Language, reported, q.Created, q.Conditions.Scope())
}

// Has reports whether a comment is in the part, without regard to its creation time.
func (q Queue) Has(c *item.Stored) bool {
	return c.InQueue() && c.State == q.State && (q.Language == "" || c.Language == q.Language) &&
		(q.Reported == nil || *q.Reported == (c.Reports > 0)) && q.Conditions.Has(&c.Comment)
}

// spans returns the spans of the part's comments.
func (q Queue) spans() []key.Span {
	spans := key.SpansOf(q.partitions())
	for i := range spans {
		spans[i] = spans[i].Within(q.Created)
	}
	return spans
}

// partitions returns the partitions with the part's comments.
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

// entrySize is the assumed size in bytes of an entry of the queue.
const entrySize = 240

// Page reads the positions of comments in a window of the queue, oldest first. It costs half a read
// unit for each of key.QueueParts partitions. It ignores the part's Conditions. It may miss a comment
// that has just entered the queue, or contain one that has just left it.
func (s *Cases) Page(ctx context.Context, q Queue, w list.Window[key.Position]) (list.Page[key.Position], error) {
	w.Ascending = true
	return scan.Page(ctx, s.t, false, q.spans(), entrySize, w)
}
