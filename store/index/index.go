package index

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Index is derived data of comments.
type Index interface {
	// Touches returns the items that a change may write under these settings. It is an estimate
	// if the exact items depend on reads. It bounds the number of changes in a transaction.
	Touches(settings.Settings, Change) []Key
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
	Flush(ctx context.Context, now settings.Settings, changes []Change) (writes []table.Write, ahead [][]table.Write,
		err error)

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

// Finisher is an Index that leaves some of what it writes for later.
type Finisher interface {
	// Finish writes all of it now, and returns how much that was. A rebuild ends with
	// it. It returns an Unavailable error if the store does not answer.
	Finish(context.Context) (written int, err error)
}

// Prompt is an Index whose Maintain is to be called more often than others.
type Prompt interface {
	// Pause returns how long it is not called at most.
	Pause() time.Duration
}

// Sweeper is an Index that must see the items of the table after records of the stream may be lost.
type Sweeper interface {
	// Sweep takes an item during a rebuild: its keys, item.AttrBallot and item.AttrBorn. It returns the capacity
	// units that it took, and an Unavailable error if the store does not answer.
	Sweep(context.Context, table.Item) (units float64, err error)
}

// Watcher is an Index that depends on other items than comments.
type Watcher interface {
	// Watches returns the prefixes of the keys of the watched items: Watch is called for no
	// others.
	Watches() []Prefix
	// Watch returns the product that a record concerns which is not about a comment; ok
	// is false for records of no interest. It returns an Internal error for a damaged
	// item.
	Watch(Record) (product string, ok bool, err error)
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

// Obsolete returns the removal of an item of a table, the main one or key.Columns, if a
// rebuild of the indexes has left it in an older generation; ok is false for every other
// item.
func Obsolete(indexes []Index, it table.Item, in key.Index, generation int) (w table.Write, ok bool) {
	of, err := table.Number(it, item.AttrGeneration)
	if err != nil || of >= generation || !slices.ContainsFunc(indexes, func(x Index) bool { return x.Owns(it) }) {
		return w, false
	}
	return table.Write{
		In: in, Key: table.Primary(it), Delete: true,
		If:     "attribute_not_exists(" + item.AttrGeneration + ") OR " + item.AttrGeneration + " < :gen",
		Values: table.Item{":gen": table.N(generation)},
	}, true
}
