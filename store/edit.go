package store

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// Guard decides, given the owner of the stored comment, whether the caller may change or delete
// the comment. It returns the error that refuses, or nil. A nil Guard allows everything.
type Guard func(owner string) error

func (g Guard) check(c *item.Stored) error {
	if g == nil {
		return nil
	}
	err := g(c.Owner)
	if err != nil && c.State != item.Published { // the error must not reveal that the comment exists
		return item.NotFound(c.ID)
	}
	return err
}

// extra has the writes in the comment's transaction besides the comment's own. The zero value has
// none.
type extra struct {
	decision *moderation.Decision // about the comment
	report   *moderation.Report   // of the comment
	writes   []table.Write
	left     item.State // of the tombstone of a deleted comment; see item.Deleted
}

func (e extra) isNothing() bool { return e.decision == nil && e.report == nil && len(e.writes) == 0 }

// tableWrites returns the writes of the extra, for a comment that a write of this name changes.
func (e extra) tableWrites(c *item.Stored, name item.Writes) (all []table.Write) {
	if e.decision != nil {
		all = append(all, e.decision.Entry(c, name))
	}
	if e.report != nil {
		all = append(all, e.report.Entry(c))
	}
	return append(all, e.writes...)
}

// verb returns the comment after a change, nil to delete it, and what else to write. It must
// not modify before. If after equals before and with is empty, nothing is written. The verb's
// reads use ctx, which has the deadline and the retries of a write.
type verb func(ctx context.Context, before *item.Stored) (after *item.Stored, with extra, err error)

// edit changes the comment with an id: it reads the comment, checks the guard, calls the verb and
// writes the difference. If another process changes the comment in between, edit starts again with
// the changed comment, so two concurrent edits both take effect. It returns the comment after the
// edit, or the last state of a deleted one. It returns NotFound if there is no comment, or the
// errors of guard and verb.
func (s *Store) edit(ctx context.Context, id string, guard Guard, do verb) (c Comment, err error) {
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	w := write{began: s.pending.Begin()}
	if w.stored, err = s.getItem(ctx, id); err != nil {
		return Comment{}, err
	}
	err = s.change(ctx, "change the comment", &w, func() (bool, error) {
		if w.stored == nil || item.IsDeleted(w.stored) {
			if w.before != nil && w.after == nil { // another process deleted it first
				return false, nil
			}
			return false, item.NotFound(id)
		}
		before, err := item.Read(w.stored, "")
		if err == nil {
			err = guard.check(&before)
		}
		if err == nil {
			err = s.unpack(&before)
		}
		if err != nil {
			return false, err
		}
		w.before = &before
		w.after, w.extra, err = do(ctx, &before)
		return w.after == nil || !w.extra.isNothing() || !sameComment(w.after, &before), err
	})
	switch {
	case errs.CodeOf(err) == errs.NotFound:
		table.Unseen(ctx, w.stored)
		return Comment{}, err
	case err != nil:
		return Comment{}, err
	case w.name == "":
		return w.before.Comment, nil
	}
	return w.comment().Comment, nil
}
