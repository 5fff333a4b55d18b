package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/table"
)

// Guard decides whether a comment may be changed or deleted, given its owner, as
// it is when that is done. It returns the error that says why not. Nil allows it.
type Guard func(owner string) error

func (g Guard) check(c *item.Stored) error {
	if g == nil {
		return nil
	}
	err := g(c.Owner)
	if err != nil && c.State != item.Published { // no one else learns that there is such a comment
		return item.NotFound(c.ID)
	}
	return err
}

// extra is what is written with a comment, all or nothing. The zero value is nothing.
type extra struct {
	decision *moderation.Decision // about the comment
	report   *moderation.Report   // of the comment
	writes   []table.Write
}

func (e extra) isNothing() bool { return e.decision == nil && e.report == nil && len(e.writes) == 0 }

// tableWrites returns the writes that go with a comment in a write with a name.
func (e extra) tableWrites(c *item.Stored, name item.Writes) (all []table.Write) {
	if e.decision != nil {
		all = append(all, e.decision.Entry(c, name))
	}
	if e.report != nil {
		all = append(all, e.report.Entry(c))
	}
	return append(all, e.writes...)
}

// verb says what becomes of a comment, nil for none, and what else is written then. It does
// not change before; a comment that is as before, without anything else, is not written. If
// it reads something, the context is as patient as that of a write.
type verb func(ctx context.Context, before *item.Stored) (after *item.Stored, with extra, err error)

// edit is how every verb changes the comment with an id: it reads the comment, asks the
// guard and the verb, and writes what differs. If the comment has changed since it was read, edit
// begins again with the comment as it is by then, so two edits at once both take effect. It
// returns the comment after the edit, the last state of a deleted one; NotFound if there is none, the
// errors of guard and verb, and Unavailable if the store does not answer.
func (s *Store) edit(ctx context.Context, id string, guard Guard, do verb) (c Comment, err error) {
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	ctx, charge := chargeAbsence(ctx, noComment)
	defer func() { charge(err) }()
	w := write{began: s.pending.Begin()}
	if w.stored, err = s.getItem(ctx, id); err != nil {
		return Comment{}, err
	}
	err = s.change(ctx, "change the comment", &w, func() (bool, error) {
		if w.stored == nil || item.IsDeleted(w.stored) {
			if w.before != nil && w.after == nil { // it was to be deleted, and another process was faster
				return false, nil
			}
			return false, item.NotFound(id)
		}
		before, err := s.read(ctx, w.stored)
		if err == nil {
			err = guard.check(&before)
		}
		if err != nil {
			return false, err
		}
		w.before = &before
		w.after, w.extra, err = do(ctx, &before)
		return w.after == nil || !w.extra.isNothing() || !sameComment(w.after, &before), err
	})
	switch {
	case err != nil:
		return Comment{}, err
	case w.name == "":
		return w.before.Comment, nil
	}
	return w.comment().Comment, nil
}
