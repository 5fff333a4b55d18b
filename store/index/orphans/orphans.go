// Package orphans removes the votes, decisions and reports of deleted comments, since they name
// people. Each has an attribute that identifies its comment: no other comment has the same value,
// not even a later one with the same id. After the deletion of the comment no item is written with
// that value. All methods that call the store return an Unavailable error if the store does not
// answer.
package orphans

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Orphans is an index.Watcher of deleted comments.
type Orphans struct{ t *table.Table }

// New returns the orphans of a table.
func New(t *table.Table) *Orphans { return &Orphans{t} }

// Name implements index.Index.
func (o *Orphans) Name() string { return "votes and decisions" }

// Watch removes orphans with the ids of comments that were deleted or moved to another product.
func (o *Orphans) Watch(ctx context.Context, _ settings.Settings, changes []index.Change) (err error) {
	for _, c := range changes {
		if err == nil && c.Was != nil && c.Is == nil {
			err = o.Remove(ctx, c.ID)
		}
	}
	return err
}

// removers bounds concurrent checks of items.
const removers = 8

// Remove removes orphans with the id of a comment. After an error the call can be repeated.
func (o *Orphans) Remove(ctx context.Context, id string) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(removers)
	each := func(it table.Item) error {
		group.Go(func() error { _, err := o.Sweep(groupCtx, it); return err })
		return groupCtx.Err()
	}
	err := o.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Votes(id)}, each)
	if err == nil {
		err = o.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Case(id)}, each)
	}
	return errors.Join(group.Wait(), err)
}

// Sweep removes an item if it is an orphan. It implements index.Sweeper, since records
// of deletions may be lost before a rebuild.
func (o *Orphans) Sweep(ctx context.Context, it table.Item) (units float64, err error) {
	pk, attribute := table.Text(it, key.PK), item.AttrBorn
	id, ok := key.CaseOf(pk)
	if ok = ok && table.Text(it, key.SK) != key.QueuedSK; !ok {
		attribute = item.AttrBallot
		if id, ok = key.VotesOf(pk); !ok {
			return 0, nil
		}
	}
	// The comment is read after the item: if it lacks the attribute now, it never gets it.
	comment, err := o.t.Get(ctx, "the comment", table.Key(key.Comment(id)))
	if err != nil || comment != nil && !item.IsDeleted(comment) && common(comment, attribute) == common(it, attribute) {
		return 1, err
	}
	w := table.Write{Key: table.Primary(it), Delete: true}
	err = o.t.Write(ctx, "remove what a deleted comment left", w.Unchanged(it, attribute))
	if _, replaced := table.IsRefused(err); replaced {
		err = nil
	}
	return 2, err
}

// common returns the value of an attribute of type S or B, empty if it is missing.
func common(it table.Item, attribute string) string {
	return table.Text(it, attribute) + string(table.Bytes(it, attribute))
}
