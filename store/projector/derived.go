package projector

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/own"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Derived is something that is kept from the stream: statistics, copies.
type Derived interface {
	// Touches returns the items that a change may write under these settings. It is an
	// estimate where only reading tells: it bounds how many changes a transaction takes.
	Touches(settings.Settings, Change) []Place
	// Flush reads what it needs and returns what changes write together, each write on
	// the condition that what it rests on has not changed since. Each change is one
	// product's: a comment that goes to another product comes as two changes, in either
	// order, perhaps with others between them or in different transactions. Only the
	// changes of one Subject come in order.
	//
	// The sets in ahead need not be in the transaction that moves the checkpoint, should
	// all of it be more than a transaction takes. Then some sets are made before, in their
	// order, each whole and on the condition that the checkpoint is where it was. Until
	// that moves each set may be made again at any time, by a process that was delayed or
	// that takes over; and what several changes write must undo what the first of them
	// alone would have made.
	//
	// Flush returns ErrOutdated if the settings turn out to be older than what it read,
	// and stats.ErrNegative if something must have been counted wrong.
	Flush(ctx context.Context, now settings.Settings, changes []Change) (writes []table.Write, ahead [][]table.Write, err error)

	// Maintain does what is due by time alone. It is called every few seconds by
	// every process that projects, by a goroutine of its own.
	Maintain(context.Context) error

	// FinishRebuild changes what the settings say because a rebuild ends: all comments
	// were projected again in a new generation, and what was not written again is removed.
	FinishRebuild(*settings.Settings)
	// Owns reports whether an item is written again by a rebuild, and removed if it is
	// left in an older generation.
	Owns(it table.Item) bool

	// Verifiers begins comparisons with the comments of a share of the table.
	Verifiers(settings.Settings, *Share) []Verifier
}

// Finisher is what a Derived also is that leaves some of what it writes for later.
type Finisher interface {
	// Finish writes all of it now, and returns how much that was. A rebuild ends with
	// it. It returns an Unavailable error if the store does not answer.
	Finish(context.Context) (written int, err error)
}

// Prompt is what a Derived also is whose Maintain is to be called more often than others.
type Prompt interface {
	// Pause returns how long it is not called at most.
	Pause() time.Duration
}

// Watcher is what a Derived also is that depends on other items than comments.
type Watcher interface {
	// Watches returns what the keys of those items begin with: Watch is asked about no
	// others.
	Watches() []Keys
	// Watch returns the product that a record concerns which is not about a comment; ok
	// is false for records of no interest. It returns an Internal error for a damaged
	// item.
	Watch(Record) (product string, ok bool, err error)
}

// Keys are what the keys of some items begin with; SK is empty for any.
type Keys struct{ PK, SK string }

// Has tells whether a record is about one of these items.
func (k Keys) Has(r Record) bool {
	it := r.After
	if it == nil {
		it = r.Before
	}
	return strings.HasPrefix(table.Text(it, key.PK), k.PK) && strings.HasPrefix(table.Text(it, key.SK), k.SK)
}

// Obsolete returns the removal of an item of a table, the main one or key.Columns, if a
// rebuild has left it in an older generation; ok is false for every other item.
func (p *Projector) Obsolete(it table.Item, in key.Index, generation int) (w table.Write, ok bool) {
	of, err := table.Number(it, item.AttrGeneration)
	if err != nil || of >= generation || !slices.ContainsFunc(p.derived, func(d Derived) bool { return d.Owns(it) }) {
		return w, false
	}
	return table.Write{
		In: in, Key: table.Primary(it), Delete: true,
		If:     "attribute_not_exists(" + item.AttrGeneration + ") OR " + item.AttrGeneration + " < :gen",
		Values: table.Item{":gen": table.N(generation)},
	}, true
}

// Change is what a record of the stream says about a comment, or the part of it
// that concerns one group of products.
type Change struct {
	Sequence string
	Created  time.Time // about when the change was made; engines round it
	ID       string    // of the comment
	Name     own.Name  // of the write that made it; empty if it left none
	// Before and After are nil where there was none, or none that was published: as
	// everybody sees it, one that is not published is not there.
	Before, After *Image
	// Was and Is are the same whatever the comment's state, for what moderators see.
	Was, Is *Image
	// Other is a record that a Watcher takes interest in. Then there are no images.
	Other *Record
}

// Subject is a comment as one product has it.
type Subject struct{ Product, Comment string }

// Subject returns what the change is about. A comment that went from one product to
// another is the other's, too: Flush gets a change for each.
func (c *Change) Subject() Subject {
	of := Subject{Comment: c.ID}
	switch {
	case c.Is != nil:
		of.Product = c.Is.ProductID
	case c.Was != nil:
		of.Product = c.Was.ProductID
	}
	return of
}

// Compare orders subjects.
func (s Subject) Compare(o Subject) int {
	return cmp.Or(strings.Compare(s.Product, o.Product), strings.Compare(s.Comment, o.Comment))
}

// Image is a comment before or after a change, with its item.
type Image struct {
	item.Stored
	Item table.Item
}

func (im *Image) published() *Image {
	if im == nil || im.State != item.Published {
		return nil
	}
	return im
}
