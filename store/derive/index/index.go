package index

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Index is derived data of comments. It implements Entries, Sums or Watcher, or several of them.
// The engine does the rest.
type Index interface {
	// Name names its items in reports, such as "copies".
	Name() string
}

// Entries is an Index with items of single comments.
type Entries interface {
	Index
	// Entries returns the entries of an existing comment. They depend on its item, the settings,
	// and the definitions that the item names. Entries may read these definitions.
	Entries(context.Context, settings.Settings, *Image) ([]Entry, error)
	// EntryOf returns the comment of an entry, parsed from the keys of its item. The product is
	// empty if the keys do not contain it. ok is false if the item is no entry of this index.
	EntryOf(table.Item) (of Subject, ok bool)
	// Projected reports whether the projector writes the entries. Others are written in the
	// transactions of their comments, and the engine only verifies them.
	Projected() bool
}

// Entry is an item of an Index about one comment.
type Entry struct {
	In key.Index // key.Table or key.Columns
	At Key
	// Unit distinguishes the entries of a comment in one index.
	Unit string
	// Attributes are all attributes but keys and generation. Entries may share the map, so callers
	// must not change it.
	Attributes table.Item
	// Touched forces a write: an entry with another value is written again, even if nothing else
	// differs.
	Touched types.AttributeValue
}

// same reports whether two entries of a unit are equal.
func (e Entry) same(o Entry) bool {
	return e.At == o.At && table.SameValue(e.Touched, o.Touched) && table.Same(e.Attributes, o.Attributes)
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

// Item returns an item with this key alone, in the main table or the table of key.Columns.
func (k Key) Item(in key.Index) table.Item {
	if in == key.Columns {
		return table.ColumnKey(k.PK, k.SK)
	}
	return table.KeyOf(k.PK, k.SK)
}

// Sums is an Index with sums over comments. Several indexes may write different attributes of one
// item.
type Sums interface {
	Index
	// Sums returns the deltas of a change: amounts that it adds to items of sums, or subtracts from
	// them. It may read definitions.
	Sums(context.Context, settings.Settings, Change) ([]Delta, error)
	// SumOf returns the zero Delta of an item of sums, also for an item that is written together
	// with it. ok is false for any other item.
	SumOf(table.Item) (zero Delta, ok bool)
}

// Delta is a change of an item of sums.
type Delta struct {
	At  Key
	Sum Sum
	// Named is true if the item records the name of the write that made the change. It does so even
	// if the sum is zero.
	Named bool
	// Also estimates the keys of other items that are written with the item.
	Also []Key
}

// Sum is an amount that changes add to an item, or subtract from it.
type Sum interface {
	// Add adds another sum of the same index and item.
	Add(Sum)
	IsZero() bool
	// Apply adds the sum to an item. It returns stats.ErrNegative if a count would fall below zero,
	// which means that the item was wrong.
	Apply(context.Context, settings.Settings, *SumItem) error
	// Diff lists how an item differs from the sum over all comments, which is the receiver.
	Diff(context.Context, settings.Settings, *SumItem) ([]string, error)
}

// Spread is a Sums with items that do not belong to a product.
type Spread interface {
	// Comments calls each with every comment that items of a partition count. It may call each with
	// further comments.
	Comments(ctx context.Context, pk string, each EachItem) error
}

// Global is a Sums with items that count comments of all products.
type Global interface {
	// Global returns the partition keys of these items.
	Global() []string
}

// EachItem is called with the item of a comment.
type EachItem = func(it table.Item, comment *item.Stored) error

// Watcher is an Index that reacts to changes with writes of its own. It may make a write twice.
type Watcher interface {
	Index
	// Watch reacts to changes. The checkpoint moves past them only after Watch returned nil.
	Watch(context.Context, settings.Settings, []Change) error
}

// ItemWatcher is a Watcher of items that are not comments.
type ItemWatcher interface {
	Watcher
	// Watches returns the key prefixes of these items.
	Watches() []Prefix
	// Product returns the product that a record of a watched item concerns; ok is false if Watch
	// ignores the record. It returns an Internal error for a damaged item.
	Product(Record) (product string, ok bool, err error)
}

// Switched is an Index that is enabled product by product.
type Switched interface {
	// Guard returns a condition for the transaction that writes entries of a product; ok is false
	// if the product must not get entries. It returns ErrOutdated if the settings are older than
	// the state that it read.
	Guard(ctx context.Context, now settings.Settings, product string) (check table.Write, ok bool, err error)
	// Partial reports whether entries of a product are being written or removed, so that they
	// cannot be verified.
	Partial(now settings.Settings, product string) bool
}

// Arranged is an Index that may have more entries of a comment than a transaction can write.
type Arranged interface {
	// Arrange divides the moves of a comment's entries into writes of the transaction that moves
	// the checkpoint (last) and sets. If all of them exceed the size of a transaction, the
	// projector writes the first sets in earlier transactions: in order, each set as a whole, on
	// the condition that the checkpoint has not moved. Until the checkpoint moves, a delayed
	// process or a successor may write a set again at any time. So the writes of several changes
	// must also undo the writes that the first of these changes alone would have made.
	Arrange(ctx context.Context, generation int, h *History, moves map[string]Move) (last []table.Write, sets [][]table.Write, err error)
}

// Compared is an Index that verifies its other items itself: items that are not entries of a
// comment or sums.
type Compared interface {
	Index
	// Subject returns the name of the subject to compare because of an item, "" for none; comment
	// is nil unless the item is a comment.
	Subject(it table.Item, comment *item.Stored) string
	// Diff lists how a subject differs from its source, each a sentence without the subject.
	Diff(ctx context.Context, subject string) ([]string, error)
}

// Maintained is an Index with work that is due by time, without a change of a comment.
type Maintained interface {
	Index
	// Maintain does the work that is due. Every process that projects calls it in a goroutine of
	// its own.
	Maintain(context.Context) error
	// Pause returns the longest time between two calls of Maintain; 0 for the default.
	Pause() time.Duration
}

// Finisher is an Index that defers some of its writes.
type Finisher interface {
	// Finish makes all deferred writes now, and returns their number. A rebuild ends with it.
	Finish(context.Context) (written int, err error)
}

// Sweeper is an Index that must see all items of the table after the stream may have lost records.
type Sweeper interface {
	// Sweep gets each item during a rebuild: its keys, item.AttrBallot and item.AttrBorn. It
	// returns the capacity units that it used.
	Sweep(context.Context, table.Item) (units float64, err error)
}

// Appender is an Index that appends items to a log, each change's exactly once: they are written in
// the transaction that moves the checkpoint past the change.
type Appender interface {
	Index
	// Appends estimates the keys of the items that a change appends. Each must be another one.
	Appends(context.Context, settings.Settings, Change) ([]Key, error)
	// Append returns the writes of changes, in order.
	Append(context.Context, settings.Settings, []Change) ([]table.Write, error)
	// Appended is called after such writes took effect.
	Appended()
}

// Prefix is a common beginning of keys; an empty SK matches every sort key.
type Prefix struct{ PK, SK string }

// Has reports whether a record is about an item with the prefix.
func (p Prefix) Has(r Record) bool {
	it := r.After
	if it == nil {
		it = r.Before
	}
	return strings.HasPrefix(table.Text(it, key.PK), p.PK) && strings.HasPrefix(table.Text(it, key.SK), p.SK)
}

// ErrOutdated says that the settings have changed since they were read.
var ErrOutdated = errors.New("the settings have changed")
