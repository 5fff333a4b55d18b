package store

import (
	"context"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Erasure says how a person is erased.
type Erasure struct {
	Subject string
	// Anonymous lets comments that are published stay, without author and owner. The
	// others go in any case: nobody but their author was to see them.
	Anonymous bool
	PackOptions
}

// Erased is what an erasure did.
type Erased struct {
	ID                                         string // of the record that it was done, which names nobody
	Removed, Anonymous                         int64  // comments
	Orders, Votes, Reports, Decisions, Remains int64
}

// attributes of the record of an erasure, beside its key: N each but the time.
const attrErasedAt = "at" // S, RFC 3339

// Erase removes everything that names a person: their comments or what in them says whose
// they are, their votes, reports and what else of theirs stands beside comments, and whose
// their orders were, which are a nameless user's from then on. Statistics go on counting
// what is there. Then it leaves a record that this was done, without the name.
//
// Nothing of it depends on what was done before: stopped, it goes on when it is called
// again. What the person writes meanwhile may be missed, so their tokens must have ended.
// It returns BadUserInput for a subject that cannot be, and Unavailable if the store does
// not answer.
func (s *Store) Erase(ctx context.Context, e Erasure) (did Erased, err error) {
	if e.Subject == "" {
		return did, errs.Invalid("subject", "it is empty").For(errs.Required)
	}
	ctx = table.Patiently(ctx)
	did.ID = ulid.MustNew(ulid.Timestamp(s.t.Now()), s.t.Random()).String()
	x := &eraser{s: s, e: e, did: &did, nobody: "erased-" + did.ID}
	err = s.TracesOf(ctx, e.Subject, e.PackOptions, func(ctx context.Context, tr Trace) error {
		if tr.Kind == TracePurchase || tr.Kind == TraceProfile || tr.Kind == TraceOther {
			return nil // they go with the rest, or at last
		}
		return x.trace(ctx, tr)
	})
	if err != nil {
		return did, err
	}
	if err := x.rest(ctx); err != nil {
		return did, err
	}
	record := table.Key(key.Meta("erasure-" + did.ID))
	record[attrErasedAt] = table.S(s.t.Now().UTC().Format(time.RFC3339))
	for name, n := range map[string]int64{
		"removed": did.Removed, "anonymous": did.Anonymous, "orders": did.Orders, "votes": did.Votes, "reports": did.Reports, "decisions": did.Decisions,
	} {
		record[name] = table.N(int(n))
	}
	return did, s.t.Write(ctx, "note the erasure", table.Write{Put: record})
}

// eraser is an erasure that is under way.
type eraser struct {
	s      *Store
	e      Erasure
	did    *Erased
	nobody string // whose orders are from then on
}

// trace removes one trace.
func (x *eraser) trace(ctx context.Context, tr Trace) (err error) {
	switch tr.Kind {
	case TraceComment:
		return x.comment(ctx, tr.CommentID)
	case TraceOrder:
		did, err := x.s.orders.Disown(ctx, tr.OrderID, x.e.Subject, x.nobody)
		if did {
			x.did.Orders++
		}
		return err
	case TraceVote:
		if err = x.s.votes.Erase(ctx, tr.CommentID, key.VoterOf(x.e.Subject), x.s.statistics.Own().Name); err == nil {
			x.did.Votes++
		}
	case TraceReport: // that there was one stays in the comment's count
		if _, err = x.s.t.Remove(ctx, "the report", table.Primary(tr.item)); err == nil {
			x.did.Reports++
		}
	case TraceDecision:
		if err = x.s.moderation.Disown(ctx, tr.item); err == nil {
			x.did.Decisions++
		}
	default:
		if _, err = x.s.t.Remove(ctx, "what is kept about a person", table.Primary(tr.item)); err == nil {
			x.did.Remains++
		}
	}
	return err
}

// comment removes a comment, or makes it nobody's.
func (x *eraser) comment(ctx context.Context, id string) error {
	ctx, cancel := x.s.t.Deadline(ctx)
	defer cancel()
	whose := func(owner string) error {
		if owner != x.e.Subject {
			return item.NotFound(id)
		}
		return nil
	}
	remove := !x.e.Anonymous
	var err error
	if !remove {
		_, err = x.s.moderate(ctx, id, whose, func(_ context.Context, before, after *item.Stored) (decided, error) {
			if remove = before.State != item.Published; !remove {
				after.Owner, after.Author, after.Only, after.Follows = "", "", false, false
			}
			return decided{}, nil
		})
		if err == nil && !remove {
			x.did.Anonymous++
			return nil
		}
	}
	if err == nil {
		_, err = x.s.DeleteIf(ctx, id, whose)
		if err == nil {
			err = x.s.moderation.Forget(ctx, id)
		}
		if err == nil {
			x.did.Removed++
		}
	}
	if errs.CodeOf(err) == errs.NotFound { // or somebody else's by now
		return nil
	}
	return err
}

// rest removes what is left in the person's own partition.
func (x *eraser) rest(ctx context.Context) error {
	in := key.Partition{Index: key.Table, Value: key.User(x.e.Subject)}
	return x.s.t.Each(ctx, in, func(it table.Item) error {
		tr, ok := traceOf(it, x.e.Subject)
		if !ok {
			return nil
		}
		at, isMark := item.MarkedBy(it)
		if !isMark {
			_, at, isMark = key.ParseAuthored(table.Text(it, key.SK))
		}
		if isMark { // of a comment that came while the table was read
			if err := x.comment(ctx, at.CommentID); err != nil {
				return err
			}
		}
		return x.trace(ctx, tr)
	})
}
