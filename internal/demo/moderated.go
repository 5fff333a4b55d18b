package demo

import (
	"context"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/moderation"
)

// rejected are those that a moderator rejected, and why.
var rejected = map[string]string{
	"own-demo-3": "It is about the delivery, not about the product.",
	"own-hugo-1": "Please write about what you have used.",
}

// reported are who reported which comment that everybody sees, and why.
var reported = []struct{ by, comment, why string }{
	{"ben", "own-oscar-1", "It is an advertisement."},
	{"carla", "own-oscar-1", "He wants to sell his own."},
	{"dan", "own-alice-0", "She has not got it yet."},
}

// loadPeople puts what people ordered and wrote into the table, and what became of that.
func loadPeople(ctx context.Context, st *store.Store) error {
	done, err := st.ImportOrders(ctx, Orders())
	if err != nil {
		return err
	}
	for _, did := range done {
		if did.Refused != nil {
			return did.Refused
		}
	}
	if _, err := st.Import(ctx, ByPeople()); err != nil {
		return err
	}
	for id, why := range rejected {
		_, err := st.Decide(ctx, store.Ruling{ID: id, Verb: moderation.Reject, By: Moderator, Reason: why})
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	for _, r := range reported {
		_, err := st.Report(ctx, r.comment, r.by, r.why)
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	return nil
}

// unlessChanged drops an error that says that a comment is not as it was: somebody who
// looked at a part of the demo deleted or withdrew it.
func unlessChanged(err error) error {
	if code := errs.CodeOf(err); code == errs.NotFound || code == errs.Conflict {
		return nil
	}
	return err
}
