package store

import (
	"context"
	"errors"

	"product-comments/store/columns"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/own"
	"product-comments/store/stats"
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
	if err != nil && c.State != item.Published { // nobody else learns that there is such a comment
		return item.NotFound(c.ID)
	}
	return err
}

// edited is what a verb does beside changing a comment. The zero value is nothing.
type edited struct {
	*moderation.Decision                    // about the comment
	report               *moderation.Report // of the comment
	removed              bool               // the comment is deleted
}

// entries returns the writes that keep the decision and the report.
func (e edited) entries(c *item.Stored, us item.Writes) (writes []table.Write) {
	if e.Decision != nil {
		writes = append(writes, e.Entry(c, us))
	}
	if e.report != nil {
		writes = append(writes, e.report.Entry(c))
	}
	return writes
}

// edit is how every verb changes the comment with an id: it reads the comment, asks the
// guard, lets fn change it, and writes what differs with all that goes with it, on the
// condition that the comment is as it was read. If it is not, edit begins again with the
// comment as it is by then, so two edits at once both take effect. What fn leaves as it
// was is not written. The contexts of fn are as patient as that of a write. It returns the
// comment after the edit, or as it was deleted; NotFound if there is none, the errors of
// guard and fn, and Unavailable if the store does not answer.
func (s *Store) edit(ctx context.Context, id string, guard Guard, fn func(ctx context.Context, before, after *item.Stored) (edited, error)) (c Comment, err error) {
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	ctx, charge := discreetly(ctx, noComment)
	defer func() { charge(err) }()
	w := write{began: s.recent.Begin()}
	if w.stored, err = s.getItem(ctx, id); err != nil {
		return Comment{}, err
	}
	err = s.t.Race(ctx, "change the comment", func() error {
		w.name = ""
		if w.stored == nil || item.IsDeleted(w.stored) {
			if w.removed { // and another process was faster
				return nil
			}
			return item.NotFound(id)
		}
		before, err := s.read(ctx, w.stored)
		if err == nil {
			err = guard.check(&before)
		}
		if err != nil {
			return err
		}
		after := before
		w.before, w.after = &before, &after
		if w.edited, err = fn(ctx, &before, &after); err != nil || w.edited == (edited{}) && sameComment(&after, &before) {
			return err
		}
		if w.removed {
			w.after = nil
		}
		return s.unlessOurs(ctx, &w, s.try(ctx, &w))
	})
	switch {
	case err != nil:
		return Comment{}, err
	case w.name == "":
		return w.before.Comment, nil
	}
	return w.comment().Comment, s.acknowledged(ctx, &w)
}

// write is one of this process that takes a comment of a product from one state to
// another, nil for none. What is not published is none to all but whose it is.
type write struct {
	began         uint64     // before what it rests on was read, see recent.Comments
	stored        table.Item // as the comment, or what a deleted one left behind, was read; nil for nothing
	before, after *item.Stored
	edited
	with     []table.Write // what else is part of it
	imported bool          // it is counted when it is projected, not before
	name     item.Writes   // of the last try
}

// try makes a write once: it makes room for the comment, names the write, and writes the
// comment with its marks and what else goes with it, all or nothing, on the condition that
// the item is as it was read and no rebuild has touched it, so its record will tell what
// is known of it now. Attributes that comments do not have stay as they are. It returns a
// Refused error if the condition did not hold.
func (s *Store) try(ctx context.Context, w *write) (err error) {
	if err = s.admit(ctx, w); err != nil {
		return err
	}
	if w.name, err = s.nameOf(ctx, w); err != nil {
		return err
	}
	what, change := "change the comment", table.Write{}
	if w.after == nil {
		what, change.Put = "delete the comment", item.Deleted(w.stored, w.before, w.name, s.t.Now())
	} else {
		w.after.Writes = item.WritesOf(w.stored).Then(w.name)
		if w.before == nil {
			w.after.Born = w.name
		}
		codec, err := s.settings.Packer(ctx)
		if err != nil {
			return err
		}
		if change.Put = item.Of(w.after, codec); w.before != nil {
			change = table.Difference(table.Primary(w.stored), item.StoredForm(w.before, w.stored), change.Put)
		}
	}
	if w.before == nil || w.imported {
		what = "write the comment"
	}
	if w.stored == nil {
		change.If = table.Absent
	} else {
		change = item.IfSameGeneration(change, w.stored)
	}
	writes := append([]table.Write{change}, item.MarkChange(w.before, w.after)...)
	if w.before == nil {
		writes = append(writes, ifBought(w.after)...)
	}
	writes = append(append(writes, w.entries(w.after, w.name)...), w.with...)
	product := w.comment().ProductID
	defer s.wrote(product)
	if w.before != nil && w.before.ProductID != product {
		defer s.wrote(w.before.ProductID)
	}
	return s.t.WriteAll(ctx, what, writes...)
}

// admit makes sure that a product may have a comment in its language, if everybody is to
// see it: of others neither counts nor errors may tell. One that was hidden comes to be
// shown as if it were new, under the definitions of attributes that its product has by
// now.
func (s *Store) admit(ctx context.Context, w *write) error {
	before, after := w.shown()
	if before != nil && after != nil && before.ProductID == after.ProductID && before.Language == after.Language {
		s.statistics.Note(&after.Comment)
		return nil
	}
	if after != nil {
		err := s.statistics.Admit(ctx, &after.Comment)
		var refused *errs.Error
		if w.before != nil && before == nil && errors.As(err, &refused) && refused.Field != "" { // who decides chose the comment, not its language
			about := *refused
			about.Field, err = "id", &about
		}
		if err != nil {
			return err
		}
	}
	if w.after == nil || w.before != nil && (before != nil || after == nil) {
		return nil
	}
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return err
	}
	w.after.Generation = max(w.after.Generation, now.Generation)
	if w.before == nil {
		return nil
	}
	return s.attributes.Stamp(ctx, w.after)
}

// unlessOurs returns nil for the error of a try that took effect after all: the client
// repeats a write whose answer was lost, and the repetition finds what the first one
// wrote, or what others made of it. Of every other that was refused it reads how the
// comment is by now.
func (s *Store) unlessOurs(ctx context.Context, w *write, err error) error {
	stands, refused := table.IsRefused(err)
	if !refused {
		return err
	}
	if stands == nil { // of a transaction nothing is told
		var failed error
		if stands, failed = s.t.Get(ctx, "the comment", table.Key(key.Comment(w.comment().ID))); failed != nil {
			return failed
		}
	}
	if w.stored = stands; item.WritesOf(stands).Has(w.name) {
		return nil
	}
	return err
}

// shown returns what everybody sees of both states.
func (w *write) shown() (before, after *item.Stored) { return w.before.OrHidden(), w.after.OrHidden() }

// comment returns the comment, before or after.
func (w *write) comment() *item.Stored {
	if w.after != nil {
		return w.after
	}
	return w.before
}

// nameOf returns the name of a write that is about to be tried. It returns an Unavailable
// error if the store does not answer.
func (s *Store) nameOf(ctx context.Context, w *write) (item.Writes, error) {
	if w.imported {
		return item.NewWrite(s.t.Random()), nil
	}
	before, after := w.shown()
	c, product := own.Change{CommentID: w.comment().ID, Made: w.before == nil, Before: countedOf(before), After: countedOf(after), Undefined: !hasColumns(after)}, w.comment().ProductID
	var err error
	if c.Values, err = s.summaries.Change(ctx, before, after); err != nil {
		return "", err
	}
	if name, ok := s.statistics.Own().Try(product, c); ok {
		return item.Writes(name), nil
	}
	if hasColumns(before) || hasColumns(after) {
		return item.Writes(s.statistics.Own().Name(product)), nil
	}
	return item.NewWrite(s.t.Random()), nil
}

func countedOf(c *item.Stored) *stats.Counted {
	if c == nil {
		return nil
	}
	counted := c.Counted()
	return &counted
}

// hasColumns tells whether columns have entries of a comment.
func hasColumns(c *item.Stored) bool { return c != nil && c.Defined != "" }

// acknowledged notes that a write took effect. It returns an Unavailable error if the
// store does not answer.
func (s *Store) acknowledged(ctx context.Context, w *write) error {
	name := w.name.Last()
	s.statistics.Own().Acknowledge(w.comment().ProductID, name, s.t.Now())
	if before, after := w.shown(); !hasColumns(before) && !hasColumns(after) {
		return nil
	}
	defer s.wrote(w.comment().ProductID) // pages that are under way do not show it
	return s.left(ctx, w, name)
}

// left notes how a write with a name left a comment, for the orders of this process. If
// another one of its writes came meanwhile, it reads how the comment is by now. It
// returns an Unavailable error if the store does not answer.
func (s *Store) left(ctx context.Context, w *write, name own.Name) error {
	c := w.comment()
	product, id, generation := c.ProductID, c.ID, c.Generation
	for state, began := w.after.OrHidden(), w.began; ; {
		var row *item.Stored
		if state != nil {
			var err error
			if row, err = columns.RowOf(state); err != nil {
				return err
			}
		}
		if s.recent.Left(product, id, began, name, generation, state, row, s.t.Now()) {
			return nil
		}
		var err error
		if state, began, err = s.now(ctx, product, id); err != nil {
			return err
		}
	}
}

// now reads a comment as it is, nil if the product shows none such; began is a moment
// before that.
func (s *Store) now(ctx context.Context, product, id string) (state *item.Stored, began uint64, err error) {
	began = s.recent.Begin()
	it, err := s.getItem(ctx, id)
	if err != nil || it == nil {
		return nil, began, err
	}
	c, err := s.read(ctx, it)
	if err != nil || c.ProductID != product || c.State != item.Published {
		return nil, began, err
	}
	return &c, began, nil
}
