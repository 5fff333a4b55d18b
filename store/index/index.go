package index

import (
	"context"
	"errors"
	"strings"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Index is derived data of comments. It implements Entries, Sums or Watcher, or several of them;
// the engine does everything else.
type Index interface {
	// Name names its items in reports, such as "copies".
	Name() string
}

// Entries is an Index with items of single comments.
type Entries interface {
	Index
	// Entries returns the entries of a comment that is there: a function of its item, of the
	// settings, and of the definitions that the item names, which it may have to read.
	Entries(context.Context, settings.Settings, *Image) ([]Entry, error)
	// EntryOf returns of which comment an item is an entry, as far as its keys say: the product
	// may be empty. ok is false for any other item.
	EntryOf(table.Item) (of Subject, ok bool)
	// Projected reports whether the projector writes the entries. Others are written in the
	// transactions of their comments, and need only be verified.
	Projected() bool
}

// Entry is an item that an Index has of a comment.
type Entry struct {
	In key.Index // key.Table or key.Columns
	At Key
	// Unit names the entry among those of the comment, of which none other has it.
	Unit string
	// Attributes are all but its keys and its generation. Entries may share them, so they must
	// not be changed.
	Attributes table.Item
	// Touched is another one if the entry is to be written again though it says the same.
	Touched string
}

// same reports whether two entries of a unit are equal.
func (e Entry) same(o Entry) bool {
	return e.At == o.At && e.Touched == o.Touched && table.Same(e.Attributes, o.Attributes)
}

// remove returns the removal of the entry.
func (e Entry) remove() table.Write { return table.Write{In: e.In, Key: e.At.Item(e.In), Delete: true} }

// item returns the entry's item in a generation.
func (e Entry) item(generation int) table.Item {
	it := e.At.Item(e.In)
	for name, value := range e.Attributes {
		it[name] = value
	}
	if generation > 0 {
		it[item.AttrGeneration] = table.N(generation)
	}
	return it
}

// Key is the primary key of an item.
type Key struct{ PK, SK string }

// KeyOf returns the key of an item of the main table or of key.Columns.
func KeyOf(it table.Item) Key {
	at := Key{table.Text(it, key.PK), table.Text(it, key.SK)}
	if at.SK == "" {
		at.SK = string(table.Bytes(it, key.SK))
	}
	return at
}

// Item returns an item with this key, in the main table or in that of key.Columns, and nothing else.
func (k Key) Item(in key.Index) table.Item {
	if in == key.Columns {
		return table.ColumnKey(k.PK, k.SK)
	}
	return table.KeyOf(k.PK, k.SK)
}

// Sums is an Index with sums over comments. Several may write different attributes of one item.
type Sums interface {
	Index
	// Sums returns what a change adds to the items of sums, or takes away. It returns an
	// Unavailable error if definitions that it needs cannot be read.
	Sums(context.Context, settings.Settings, Change) ([]Delta, error)
	// SumOf returns the zero Delta of an item of sums, or of an item that is written with it; ok
	// is false for any other item.
	SumOf(table.Item) (zero Delta, ok bool)
}

// Delta is a change of an item of sums.
type Delta struct {
	At  Key
	Sum Sum
	// Named is true if the item gets the name of the write that made the change, also if the sum
	// is zero.
	Named bool
	// Also are about the other items that are written with it.
	Also []Key
}

// Sum is what changes add to an item, or take away.
type Sum interface {
	// Add adds another one.
	Add(Sum)
	IsZero() bool
	// Apply changes an item. It returns stats.ErrNegative if something must have been counted
	// wrong, and an Unavailable error if the store does not answer.
	Apply(context.Context, settings.Settings, *SumItem) error
	// Diff lists in what an item differs from the sum, which is that of all comments.
	Diff(context.Context, settings.Settings, *SumItem) ([]string, error)
}

// Spread is a Sums some of whose items do not belong to a product.
type Spread interface {
	// Comments calls each with every comment that counts in items of a partition now, perhaps
	// with others.
	Comments(ctx context.Context, pk string, each EachItem) error
}

// EachItem is called with the item of a comment.
type EachItem = func(it table.Item, comment *item.Stored) error

// Watcher is an Index that follows changes by writes of its own, which it may make twice.
type Watcher interface {
	Index
	// Watch follows changes before the checkpoint moves behind them. It returns an Unavailable
	// error if the store does not answer.
	Watch(context.Context, settings.Settings, []Change) error
}

// ItemWatcher is a Watcher of other items than comments.
type ItemWatcher interface {
	Watcher
	// Watches returns the prefixes of their keys.
	Watches() []Prefix
	// Product returns the product that a record of such an item concerns; ok is false for a
	// record of no interest. It returns an Internal error for a damaged item.
	Product(Record) (product string, ok bool, err error)
}

// Switched is an Index that only some products have.
type Switched interface {
	// Guard returns a check that goes with the writes of a product's entries; ok is false if
	// they must not be made. It returns ErrOutdated if the settings are older than what it read.
	Guard(ctx context.Context, now settings.Settings, product string) (check table.Write, ok bool, err error)
	// Partial reports whether entries of a product are being made or removed, so that they
	// cannot be verified.
	Partial(now settings.Settings, product string) bool
}

// Arranged is an Index whose entries of a comment may be too many for a transaction.
type Arranged interface {
	// Arrange divides the moves of a comment's entries. The sets need not be in the transaction
	// that moves the checkpoint, should all of it be more than a transaction takes. Then some
	// sets are made before, in their order, each whole and on the condition that the checkpoint
	// is where it was. Until that moves each set may be made again at any time, by a process
	// that was delayed or that takes over; and what several changes write must undo what the
	// first of them alone would have made.
	Arrange(ctx context.Context, generation int, h *History, moves map[string]Move) (last []table.Write, sets [][]table.Write, err error)
}

// Compared is an Index that compares by itself what is neither an entry of a comment nor a sum.
type Compared interface {
	Index
	// Subject returns what is compared because of an item, "" for nothing; comment is nil unless
	// the item is one.
	Subject(it table.Item, comment *item.Stored) string
	// Diff lists how a subject differs from what it follows, each a sentence without the subject.
	// It returns an Unavailable error if the store does not answer.
	Diff(ctx context.Context, subject string) ([]string, error)
}

// Maintained is an Index with work that is due by time alone.
type Maintained interface {
	Index
	// Maintain does what is due. Every process that projects calls it from a goroutine of its own.
	Maintain(context.Context) error
	// Pause returns how long it is not called at most; 0 for the usual time.
	Pause() time.Duration
}

// Finisher is an Index that leaves some of what it writes for later.
type Finisher interface {
	// Finish writes all of it now, and returns how much that was. A rebuild ends with
	// it. It returns an Unavailable error if the store does not answer.
	Finish(context.Context) (written int, err error)
}

// Sweeper is an Index that must see the items of the table after records of the stream may be lost.
type Sweeper interface {
	// Sweep takes an item during a rebuild: its keys, item.AttrBallot and item.AttrBorn. It returns the capacity
	// units that it took, and an Unavailable error if the store does not answer.
	Sweep(context.Context, table.Item) (units float64, err error)
}

// Prefix is what the keys of some items begin with; SK is empty for any.
type Prefix struct{ PK, SK string }

// Has reports whether a record is about one of these items.
func (p Prefix) Has(r Record) bool {
	it := r.After
	if it == nil {
		it = r.Before
	}
	return strings.HasPrefix(table.Text(it, key.PK), p.PK) && strings.HasPrefix(table.Text(it, key.SK), p.SK)
}

// ErrOutdated says that something was read under settings that are no longer true.
var ErrOutdated = errors.New("the settings have changed")
