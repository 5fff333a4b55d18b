package store

import (
	"context"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// Erasure configures the erasure of a person.
type Erasure struct {
	Subject string
	// Anonymous keeps published comments, without author and owner. Other comments are always
	// removed: only their author could see them.
	Anonymous bool
	ScanOptions
}

// Erased counts the effects of an erasure.
type Erased struct {
	ID                                string // of the record of the erasure, which does not name the person
	Removed, Anonymous                int64  // comments
	Orders, Votes, Reports, Decisions int64
	Photos                            int64 // that no comment has taken
}

// attrErasedAt is the time when the erasure ended, S, RFC 3339. The other attributes of the
// record are the counts of Erased, N.
const attrErasedAt = "at"

// Erase removes everything that names a person. It removes their comments, or only author, owner and
// photos of them; their votes and reports; and their name in moderators' decisions. Their orders become
// orders of a user without a name. Statistics still count comments and orders that stay. At the end
// Erase writes a record without the name.
//
// Erase is idempotent: after an error, call it again to continue. It scans the table until it finds
// nothing, at most mostScans times, so it also erases what the person writes during the first
// scans. To be complete, end the person's tokens first. Erase returns BadUserInput for an invalid
// subject.
func (s *Store) Erase(ctx context.Context, e Erasure) (did Erased, err error) {
	ctx = table.Patiently(ctx)
	id := ulid.MustNew(ulid.Timestamp(s.t.Now()), s.t.Random())
	did.ID = id.String()
	x := &eraser{s: s, erasure: e, result: &did, nameless: orders.ErasedUser(id)}
	for scan, left := 0, true; left && scan < mostScans; scan++ {
		if left, err = x.scan(ctx); err != nil {
			return did, err
		}
	}
	record := table.Key(key.Erasure(did.ID))
	record[attrErasedAt] = table.S(s.t.Now().UTC().Format(time.RFC3339))
	for name, n := range map[string]int64{
		"removed": did.Removed, "anonymous": did.Anonymous, "orders": did.Orders, "votes": did.Votes,
		"reports": did.Reports, "decisions": did.Decisions, "photos": did.Photos,
	} {
		record[name] = table.N(int(n))
	}
	return did, s.t.Write(ctx, "record the erasure", table.Write{Put: record})
}

// mostScans bounds how often an erasure scans the table when every scan still finds something,
// since the person is still active.
const mostScans = 3

// scan erases what one scan of the table finds, then the person's own partition. It reports
// whether there was anything: if so, more may have been written behind the scan.
func (x *eraser) scan(ctx context.Context) (found bool, err error) {
	// The person's partition comes last: while the person has comments, the comments'
	// verified purchases follow the orders in it.
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

// eraser is the state of one erasure.
type eraser struct {
	s        *Store
	erasure  Erasure
	result   *Erased
	nameless string // the username that replaces the subject in orders
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
	case TracePhoto:
		if err = x.s.photos.Drop(ctx, tr.Item); err == nil {
			x.result.Photos++
		}
	case TraceReport: // the comment's count of reports stays
		if _, err = x.s.t.Remove(ctx, "the report", table.Primary(tr.Item)); err == nil {
			x.result.Reports++
		}
	case TraceDecision:
		if err = x.s.moderation.Disown(ctx, tr.Item); err == nil {
			x.result.Decisions++
		}
	default:
		if tr.CommentID != "" { // a mark: the comment has this owner
			if err := x.comment(ctx, tr.CommentID); err != nil {
				return err
			}
		}
		_, err = x.s.t.Remove(ctx, "what is stored about a person", table.Primary(tr.Item))
	}
	return err
}

// comment removes a comment of the person with its votes, decisions and reports, or its owner and
// author. If the erasure ends in between, the projector removes the rest.
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
			after.Photos = nil // they may show the person
			return &after, extra{}, nil
		}
		n = &x.result.Removed
		return nil, extra{left: item.Withdrawn}, nil
	})
	if errs.CodeOf(err) == errs.NotFound { // it was deleted, or has another owner
		return nil
	}
	if err != nil {
		return err
	}
	*n++
	return x.s.orphans.Remove(ctx, id)
}

// mostRounds bounds the rounds of partition. An item that remains after the last round cannot be
// removed.
const mostRounds = 100

// partition removes the items of the person's own partition: first the comments that its marks
// name, then the orders, since the comments' verified purchases follow them, and then all other
// items. It repeats that until the partition is empty, in case items are added during the
// erasure. It returns an Internal error for an item that cannot be removed, such as a damaged
// order.
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

// erasePhases is the number of phases of erasePhase.
const erasePhases = 3

// erasePhase returns the phase in which an item of the person's own partition is erased.
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
