package store

import (
	"context"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// Erasure says how a person is erased.
type Erasure struct {
	Subject string
	// Anonymous lets comments that are published stay, without author and owner. The
	// others go in any case: only their author was to see them.
	Anonymous bool
	ScanOptions
}

// Erased is what an erasure did.
type Erased struct {
	ID                                string // of the record that it was done, which names no one
	Removed, Anonymous                int64  // comments
	Orders, Votes, Reports, Decisions int64
}

// attrErasedAt is when an erasure ended, S, RFC 3339. Its record has besides it what was
// done, of type N.
const attrErasedAt = "at"

// Erase removes everything that names a person: their comments or what in them says whose
// they are, their votes, reports and what else of theirs is kept with comments, and whose
// their orders were, which are a nameless user's from then on. Statistics go on counting
// what is there. Then it leaves a record that this was done, without the name.
//
// Nothing of it depends on what was done before: stopped, it continues when it is called
// again. What they do in the meantime and orders that come are erased, too: it reads the table
// until it finds nothing, but not more often than mostScans, so their tokens should have
// ended. It returns BadUserInput for a subject that cannot be, and Unavailable if the
// store does not answer.
func (s *Store) Erase(ctx context.Context, e Erasure) (did Erased, err error) {
	ctx = table.Patiently(ctx)
	id := ulid.MustNew(ulid.Timestamp(s.t.Now()), s.t.Random())
	did.ID = id.String()
	x := &eraser{s: s, erasure: e, result: &did, nameless: orders.Nobody(id)}
	for scan, left := 0, true; left && scan < mostScans; scan++ {
		if left, err = x.scan(ctx); err != nil {
			return did, err
		}
	}
	record := table.Key(key.Erasure(did.ID))
	record[attrErasedAt] = table.S(s.t.Now().UTC().Format(time.RFC3339))
	for name, n := range map[string]int64{
		"removed": did.Removed, "anonymous": did.Anonymous, "orders": did.Orders, "votes": did.Votes, "reports": did.Reports, "decisions": did.Decisions,
	} {
		record[name] = table.N(int(n))
	}
	return did, s.t.Write(ctx, "note the erasure", table.Write{Put: record})
}

// mostScans is how often an erasure reads the whole table, should it go on finding what
// names a person who is still at work.
const mostScans = 3

// scan erases all that a scan finds, and what is kept about the person. It reports whether
// there was anything: then more may have come behind the scan.
func (x *eraser) scan(ctx context.Context) (found bool, err error) {
	// What somebody is by is kept for the last: while there are comments of theirs, they
	// follow their orders.
	err = x.s.TracesOf(ctx, x.erasure.Subject, x.erasure.ScanOptions, func(ctx context.Context, tr Trace) error {
		found = true
		if tr.inUserPartition {
			return nil
		}
		return x.trace(ctx, tr)
	})
	if err != nil {
		return found, err
	}
	return found, x.partition(ctx)
}

// eraser is an erasure that is under way.
type eraser struct {
	s        *Store
	erasure  Erasure
	result   *Erased
	nameless string // whose orders are from then on
}

// trace removes one trace.
func (x *eraser) trace(ctx context.Context, tr Trace) (err error) {
	switch tr.Kind {
	case TraceComment:
		return x.comment(ctx, tr.CommentID)
	case TraceOrder:
		did, err := x.s.orders.Disown(ctx, tr.OrderID, x.erasure.Subject, x.nameless)
		if did {
			x.result.Orders++
		}
		return err
	case TraceVote:
		if err = x.s.votes.Erase(ctx, tr.CommentID, key.VoterOf(x.erasure.Subject), x.s.pendingVote); err == nil {
			x.result.Votes++
		}
	case TraceReport: // that there was one stays in the comment's count
		if _, err = x.s.t.Remove(ctx, "the report", table.Primary(tr.Item)); err == nil {
			x.result.Reports++
		}
	case TraceDecision:
		if err = x.s.moderation.Disown(ctx, tr.Item); err == nil {
			x.result.Decisions++
		}
	default:
		if tr.CommentID != "" { // a mark says that it is theirs
			if err := x.comment(ctx, tr.CommentID); err != nil {
				return err
			}
		}
		_, err = x.s.t.Remove(ctx, "what is stored about a person", table.Primary(tr.Item))
	}
	return err
}

// comment removes a comment of theirs, or removes its owner. Its history and reports go
// first, since nothing would lead to them once it is gone; it is removed only if it still
// has not changed since, so that none comes between the two.
func (x *eraser) comment(ctx context.Context, id string) error {
	n := &x.result.Removed
	_, err := x.s.edit(ctx, id, func(owner string) error {
		if owner != x.erasure.Subject {
			return item.NotFound(id)
		}
		return nil
	}, func(_ context.Context, before *item.Stored) (*item.Stored, extra, error) {
		if x.erasure.Anonymous && before.State == item.Published {
			n = &x.result.Anonymous
			after := *before
			after.Owner, after.Author, after.Only, after.Follows = "", "", false, false
			return &after, extra{}, nil
		}
		n = &x.result.Removed
		return nil, extra{}, x.s.moderation.Forget(ctx, id)
	})
	if errs.CodeOf(err) == errs.NotFound { // it is gone, or another person's
		return nil
	}
	if err == nil {
		*n++
	}
	return err
}

// mostRounds bounds the rounds of own. What is left after them is not new, but cannot be removed.
const mostRounds = 100

// partition removes what is in the person's own partition: comments that its marks name, then
// orders, which are purchases of those who write comments, and then the rest. It does so
// until there is nothing, should more have come since. It returns an Internal error
// if something stays, such as an order that is damaged.
func (x *eraser) partition(ctx context.Context) error {
	in := key.Partition{Index: key.Table, Value: key.User(x.erasure.Subject)}
	for round, left := 0, table.Item(nil); round == 0 || left != nil; round++ {
		if round == mostRounds {
			return table.Damaged(left, errs.Errorf(errs.Internal, "it cannot be erased"))
		}
		left = nil
		for turn := range erasePhases {
			err := x.s.t.Each(ctx, in, func(it table.Item) error {
				left = it
				tr, _ := traceOf(it, x.erasure.Subject)
				if tr.erasePhase() != turn {
					return nil
				}
				return x.trace(ctx, tr)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// erasePhases is how many there are.
const erasePhases = 3

// erasePhase is when an item of the person's own partition is erased.
func (tr Trace) erasePhase() int {
	switch {
	case tr.Kind == TraceOrder:
		return 1
	case tr.CommentID != "":
		return 0
	default:
		return 2
	}
}
