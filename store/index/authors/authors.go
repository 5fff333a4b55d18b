// Package authors reads the entries of authors, which list comments by owner. They are written and
// deleted in the comments' transactions, so they are exact. All methods that call the store return
// an Unavailable error if the store does not answer.
package authors

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Authors reads and maintains the entries of authors of a table.
type Authors struct {
	t *table.Table
}

// New returns the authors of a table's comments.
func New(t *table.Table) *Authors { return &Authors{t: t} }

// about is the maximum number of entries of one query.
const about = 1000

// About returns the positions of the newest comments of a user about a product, at most most, in no
// particular order; more reports whether there are others. It reads strongly consistent, and costs
// a read unit for about thirty comments.
func (a *Authors) About(
	ctx context.Context, owner, product string, most int,
) (places []key.Position, more bool, err error) {
	pk := key.User(owner)
	after, until := key.WroteAbout(product)
	q := table.Query{
		Partition: key.Partition{Index: key.Table, Value: pk}, Descending: true, Limit: about, Consistent: true,
		After: map[string]string{key.PK: pk, key.SK: until}, Until: after,
	}
	for it, err := range a.t.All(ctx, q) {
		if err != nil || len(places) == most {
			return places, true, err
		}
		at, ok := item.MarkedBy(it)
		if !ok {
			return nil, false, table.Damaged(it, errs.Errorf(errs.Internal, "it is not an author's entry"))
		}
		places = append(places, at)
	}
	return places, false, nil
}
