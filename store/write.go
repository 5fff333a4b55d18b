package store

import (
	"context"
	"errors"

	"product-comments/store/comment/item"
	"product-comments/store/derive/pending"
	"product-comments/store/derive/pending/names"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// write changes a comment of a product from before to after; nil means no comment. To everyone
// but its owner and moderators an unpublished comment does not exist.
type write struct {
	began         pending.Moment // a moment before the comment was read
	stored        table.Item     // the item as read: the comment or the tombstone of a deleted one; nil for none
	before, after *item.Stored
	extra         extra
	imported      bool        // counts follow when it is projected, not before
	prepared      func()      // unless nil, what each try waits for before it writes
	name          item.Writes // of the last attempt; empty if there was none
}

// change is the loop of every write to comments. decide sets what to write, given the stored item,
// and reports whether a write is needed. change tries the write until no other process interferes,
// and acknowledges it. It returns the error of decide.
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

// try attempts a write once: it admits the comment's language, names the write, and writes in
// one transaction the comment, its entries and the extra. The condition is that the item has
// not changed since it was read and that no rebuild has touched it. Attributes that are not a
// comment's stay as they are. try returns a Refused error if the condition failed.
func (s *Store) try(ctx context.Context, w *write) (err error) {
	if err = s.admit(ctx, w); err != nil {
		return err
	}
	product := w.comment().ProductID
	switch {
	case w.imported && s.importEvents:
		w.name = item.Writes(names.Random(s.t.Random()))
	case w.imported:
		w.name = item.Writes(names.Silent(s.t.Random()))
	default:
		w.name = item.Writes(s.pending.Try(product,
			pending.Write{CommentID: w.comment().ID, Was: w.before, Is: w.after}, s.t.Now()))
	}
	what, change := "change the comment", table.Write{}
	if w.after == nil {
		what, change.Put = "delete the comment", item.Deleted(w.before, w.name, w.extra.left)
	} else {
		w.after.Writes = item.WritesOf(w.stored).Then(w.name)
		if w.before == nil {
			w.after.Born = w.name
		}
		if change.Put = item.Encode(w.after); w.before != nil {
			was, err := item.Read(w.stored, "") // with author, title and text as they are stored
			if err != nil {
				return err
			}
			change = table.Difference(table.Primary(w.stored), item.Plain(&was), change.Put)
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
	writes = append(writes, s.photos.Gone(w.before, w.after)...)
	if w.before == nil {
		writes = append(writes, purchaseConditions(w.after)...)
	}
	writes = append(writes, w.extra.tableWrites(w.after, w.name)...)
	defer s.wrote(product)
	if w.before != nil && w.before.ProductID != product {
		defer s.wrote(w.before.ProductID)
	}
	if w.prepared != nil {
		w.prepared()
	}
	return s.t.WriteAll(ctx, what, writes...)
}

// admit checks that a product may have a published comment in the comment's language;
// unpublished comments must not influence counts or errors. A comment that becomes published
// gets the current generation and the current attribute definitions, like a new one.
func (s *Store) admit(ctx context.Context, w *write) error {
	before, after := w.shown()
	if before != nil && after != nil && before.ProductID == after.ProductID && before.Language == after.Language {
		s.statistics.Note(&after.Comment)
		return nil
	}
	if after != nil {
		err := s.statistics.Admit(ctx, &after.Comment)
		var refused *errs.Error
		// a moderator publishes the comment: the argument to blame is its id, not its language
		if w.before != nil && before == nil && errors.As(err, &refused) && refused.Field != "" {
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

// unlessOurs returns nil if a refused attempt took effect after all: the client retries a write
// whose answer was lost, and the retry finds the result of the first call or of a later write. For
// every other refusal it reads the current item into w. An import treats a write that was too slow,
// or whose answer was lost, like a refused write: it continues until its context ends.
func (s *Store) unlessOurs(ctx context.Context, w *write, err error) error {
	stored, refused := table.IsRefused(err)
	switch {
	case refused:
	case w.imported && w.name != "" && errs.CodeOf(err) == errs.Unavailable && ctx.Err() == nil:
		err = &table.Refused{}
	default:
		return err
	}
	if stored == nil { // failed transactions do not return the item
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

// shown returns before and after as the public sees them.
func (w *write) shown() (before, after *item.Stored) { return w.before.OrHidden(), w.after.OrHidden() }

// comment returns after, or before if the comment is deleted.
func (w *write) comment() *item.Stored {
	if w.after != nil {
		return w.after
	}
	return w.before
}

// acknowledge notes that a write took effect and the comment's state after it. If another write of
// this process to the comment came in between, it reads the current state.
func (s *Store) acknowledge(ctx context.Context, w *write) error {
	product, id := w.comment().ProductID, w.comment().ID
	for began, left := w.began, w.after.OrHidden(); !s.pending.Acknowledge(product, names.Name(w.name), began, left,
		s.t.Now()); {
		began, left = s.pending.Begin(), nil
		it, err := s.getItem(ctx, id)
		if err != nil {
			return err
		}
		if it == nil {
			continue
		}
		c, err := s.read(it)
		if err != nil {
			return err
		}
		if c.ProductID == product {
			left = c.OrHidden()
		}
	}
	return nil
}
