package attributeorder

import (
	"context"
	"errors"
	"time"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/settings/definitions"
	"product-comments/store/table"
)

// Rows collects the comments of a query of the attribute index; see table.Rows.
type Rows struct {
	item.Rows
	Values bool     // the partition is a key.ColumnValues
	Sorts  []string // the entries' sort keys, in the order of Comments
}

// Expect discards everything read and makes room.
func (r *Rows) Expect(items int) {
	r.Rows.Expect(items)
	r.Sorts = make([]string, 0, items)
}

// Attribute reads an attribute of the current entry.
func (r *Rows) Attribute(name string, kind byte, value string) error {
	if name != key.SK {
		return r.Rows.Attribute(name, kind, value)
	}
	r.Sorts = append(r.Sorts, value)
	before, at, ok := key.CutValue(value)
	if !ok || (before != "") != r.Values {
		return errs.Errorf(errs.Internal, "an entry has the sort key %q", value)
	}
	return r.Rows.Attribute(key.GSISK, 'S', at)
}

// EndItem completes the current entry.
func (r *Rows) EndItem() error {
	err := r.Rows.EndItem()
	withoutEdit(r.Comments[len(r.Comments)-1])
	return err
}

// withoutEdit clears the fields that entries do not carry.
func withoutEdit(c *item.Stored) { c.EditElsewhere, c.Version, c.UpdatedAt = true, 0, time.Time{} }

// RowOf returns a comment with the fields that its entries carry. It returns an Internal error
// for an invalid comment.
func RowOf(c *item.Stored) (*item.Stored, error) {
	whole := item.Plain(c)
	row := table.Some(whole, item.Carried...)
	row[key.GSISK] = whole[key.GSISK]
	out, err := item.Read(row, c.ProductID)
	withoutEdit(&out)
	return &out, err
}

// ErrNone is the error for a product without an attribute index: no attributes are defined, and no
// comment has a vote.
var ErrNone = errors.New("the product has no attribute index")

// mostVoted is the maximum number of comments with votes that a list by helpfulness can contain
// before the backfill of key.Helpful ends: their entries are read for each page.
const mostVoted = 500

// Voted returns the ids of a product's comments with votes that key.Helpful contains. Before a
// backfill has added the others, these are all comments with votes: a vote adds its comment. ok is
// false if there are more than mostVoted.
func (x *Index) Voted(ctx context.Context, product string) (voted map[string]bool, ok bool, err error) {
	items, _, err := x.t.Query(ctx, table.Query{
		Partition: key.ColumnValues(product, key.Helpful), Consistent: true, Limit: mostVoted + 1,
	})
	voted = make(map[string]bool, len(items))
	for _, it := range items {
		_, sortKey, _ := key.CutValue(string(table.Bytes(it, key.SK)))
		at, _ := key.ParseSortKey(sortKey)
		voted[at.CommentID] = true
	}
	return voted, len(items) <= mostVoted, err
}

// Complete reports whether all comments of a product have the current version of definitions, so
// that lists carry all shown attributes.
func (x *Index) Complete(ctx context.Context, product string) (bool, error) {
	want, err := x.definitions.Definitions(ctx, product)
	if err != nil {
		return false, err
	}
	has, _, err := x.filled(ctx, product, want.Version())
	return has.version == want.Version(), err
}

// ErrPart is in the error of Ready if the backfill of an attribute's index has not ended.
var ErrPart = errors.New("the attribute index lacks comments")

// Ready returns nil if the index of an attribute, or key.Helpful, contains all comments of a
// product under its current definitions. Otherwise it returns ErrNone, or an Unavailable error
// with the progress of the backfill, which is ErrPart, or of the store.
func (x *Index) Ready(ctx context.Context, product, attribute string) error {
	now, err := x.settings.Recent(ctx)
	if err != nil {
		return err
	}
	if err := now.Trusted(); err != nil {
		return err
	}
	want, err := x.definitions.Definitions(ctx, product)
	if err != nil {
		return err
	}
	if want.Version() == "" {
		return ErrNone
	}
	d := want.Get(attribute)
	if weighed := attribute == key.Helpful || d != nil && d.Weighed(); weighed && now.Weights != sortable.Weights() {
		return errs.Errorf(errs.Unavailable, "This index was built by another version of this service, which sorts some values differently: its operator can run product-comments stats rebuild")
	}
	has, known, err := x.filled(ctx, product, want.Version())
	if err != nil {
		return err
	}
	if has.version == want.Version() {
		return nil
	}
	if has.version != "" {
		as, err := x.sortsAs(ctx, product, attribute, has.version, want)
		if as {
			x.reached.Add(product, has)
		}
		if err != nil || as {
			return err
		}
	}
	if known { // the cached version may be outdated
		x.reached.Remove(product)
		return x.Ready(ctx, product, attribute)
	}
	if empty, err := x.counts.Empty(ctx, product); err != nil || empty { // none is missing: pages show this process's own by their overlay
		return err
	}
	return x.unready(ctx, product)
}

// sortsAs reports whether an attribute has the same order under a product's current
// definitions, under the version that all comments have reached, and under all versions
// between, which some comments may have.
func (x *Index) sortsAs(ctx context.Context, product, attribute, filled string,
	want *attributes.Definitions) (bool, error) {
	if attribute == key.Helpful {
		return true, nil
	}
	versions, ok := definitions.Between(filled, want.Version())
	for _, v := range append(versions, filled) {
		if !ok {
			break
		}
		has, err := x.definitionsOf(ctx, version{product, v})
		if err != nil {
			return false, err
		}
		ok = sameOrder(has.Get(attribute), want.Get(attribute))
	}
	return ok, nil
}

// sameOrder reports whether two definitions have the same order of values.
func sameOrder(a, b *attributes.Definition) bool {
	return a != nil && b != nil && a.Sorting() == b.Sorting()
}
