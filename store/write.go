package store

import (
	"context"
	"errors"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pending"
	"product-comments/store/pending/names"
	"product-comments/store/table"
)

// write takes a comment of a product from one state to another, nil for none. What is not
// published is none to all but its owner and moderators.
type write struct {
	began         pending.Moment // before what it rests on was read
	stored        table.Item     // as the comment, or what a deleted one left behind, was read; nil for nothing
	before, after *item.Stored
	extra         extra
	imported      bool        // it counts when it is projected, not before
	name          item.Writes // of the last try; empty if there was none
}

// change is the loop of everything that is written to comments: decide says what is to be
// written, given what is stored, and whether anything is; change tries that, with all that
// goes with it, until nothing came in between, and acknowledges it. It returns the error of
// decide, and Unavailable if the store does not answer.
func (s *Store) change(ctx context.Context, what string, w *write, decide func() (needed bool, err error)) error {
	err := s.t.Race(ctx, what, func() error {
		w.name = ""
		if needed, err := decide(); err != nil || !needed {
			return err
		}
		return s.unlessOurs(ctx, w, s.try(ctx, w))
	})
	if err != nil || w.name == "" {
		return err
	}
	return s.acknowledge(ctx, w)
}

// try makes a write once: it makes room for the comment, names the write, and writes the
// comment with its marks and what else goes with it, all or nothing, on the condition that
// the item has not changed since it was read and no rebuild has touched it, so its record
// will tell what is known of it now. Attributes that comments do not have do not change.
// It returns a Refused error if the condition did not hold.
func (s *Store) try(ctx context.Context, w *write) (err error) {
	if err = s.admit(ctx, w); err != nil {
		return err
	}
	product := w.comment().ProductID
	if before, after := w.shown(); w.imported {
		w.name = item.Writes(names.Random(s.t.Random()))
	} else {
		w.name = item.Writes(s.pending.Try(product, pending.Write{CommentID: w.comment().ID, Before: before, After: after}))
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
		if change.Put = item.Encode(w.after, codec); w.before != nil {
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
	writes := append([]table.Write{change}, item.EntryChanges(w.before, w.after)...)
	if w.before == nil {
		writes = append(writes, purchaseConditions(w.after)...)
	}
	writes = append(writes, w.extra.tableWrites(w.after, w.name)...)
	defer s.wrote(product)
	if w.before != nil && w.before.ProductID != product {
		defer s.wrote(w.before.ProductID)
	}
	return s.t.WriteAll(ctx, what, writes...)
}

// admit makes sure that a product may have a comment in its language, if everybody is to
// see it: of others neither counts nor errors may tell. One that was hidden becomes
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
		if w.before != nil && before == nil && errors.As(err, &refused) && refused.Field != "" { // the moderator chose the comment, not its language
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
	stored, refused := table.IsRefused(err)
	if !refused {
		return err
	}
	if stored == nil { // transactions do not say
		var failed error
		if stored, failed = s.t.Get(ctx, "the comment", table.Key(key.Comment(w.comment().ID))); failed != nil {
			return failed
		}
	}
	if w.stored = stored; item.WritesOf(stored).Has(w.name) {
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

// acknowledge notes that a write took effect, and how it left the comment. If another
// write of this process to the comment came in between, it reads how the comment is by now.
// It returns an Unavailable error if the store does not answer.
func (s *Store) acknowledge(ctx context.Context, w *write) error {
	product, id := w.comment().ProductID, w.comment().ID
	for began, left := w.began, w.after.OrHidden(); !s.pending.Acknowledge(product, names.Name(w.name), began, left, s.t.Now()); {
		began, left = s.pending.Begin(), nil
		it, err := s.getItem(ctx, id)
		if err != nil {
			return err
		}
		if it == nil {
			continue
		}
		c, err := s.read(ctx, it)
		if err != nil {
			return err
		}
		if c.ProductID == product {
			left = c.OrHidden()
		}
	}
	return nil
}
