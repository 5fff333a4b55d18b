package columns

import (
	"context"
	"errors"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// Rows gathers the comments of a query of a column; see table.Rows.
type Rows struct {
	item.Rows
	Values bool     // the partition is one of key.ColumnValues
	Sorts  []string // where the entries are: their sort keys, in the order of Comments
}

// Expect forgets what was taken and makes room.
func (r *Rows) Expect(items int) {
	r.Rows.Expect(items)
	r.Sorts = make([]string, 0, items)
}

// Attribute takes an attribute of the current entry.
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
	withoutEdit(&r.Comments[len(r.Comments)-1])
	return err
}

// withoutEdit leaves out of a comment what entries do not carry.
func withoutEdit(c *item.Stored) { c.EditElsewhere, c.Version, c.UpdatedAt = true, 0, time.Time{} }

// RowOf returns a comment as an entry shows it. It returns an Internal error for what
// is no comment.
func RowOf(c *item.Stored) (*item.Stored, error) {
	whole := item.Encode(c, nil)
	row := table.Item{key.GSISK: whole[key.GSISK]}
	for _, name := range item.Carried {
		if v, ok := whole[name]; ok {
			row[name] = v
		}
	}
	out, err := item.Read(row, c.ProductID)
	withoutEdit(&out)
	return &out, err
}

// ErrNone says that a product has no columns: no attributes are defined, and no
// comment has a vote, so that every comment lacks all of it.
var ErrNone = errors.New("the product has no attribute index")

// Complete reports whether all comments of a product were written under its definitions
// as they are now, so that lists carry whatever is shown. It returns an Unavailable
// error if the store does not answer.
func (c *Columns) Complete(ctx context.Context, product string) (bool, error) {
	want, err := c.definitions.Definitions(ctx, product)
	if err != nil {
		return false, err
	}
	has, _, err := c.filled(ctx, product, want.Version())
	return has.version == want.Version(), err
}

// Ready returns nil if the columns of an attribute, or key.Helpful, hold all comments
// of a product under its definitions as they are now; otherwise ErrNone, or an
// Unavailable error that tells how far they are, or that of the store if it does not
// answer.
func (c *Columns) Ready(ctx context.Context, product, attribute string) error {
	now, err := c.settings.Recent(ctx)
	if err != nil {
		return err
	}
	if err := now.Trusted(); err != nil {
		return err
	}
	want, err := c.definitions.Definitions(ctx, product)
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
	has, known, err := c.filled(ctx, product, want.Version())
	if err != nil {
		return err
	}
	if has.version == want.Version() {
		return nil
	}
	if has.version != "" {
		as, err := c.sortsAs(ctx, product, attribute, has.version, want)
		if as {
			c.reached.Add(product, has)
		}
		if err != nil || as {
			return err
		}
	}
	if known { // it may have been reached since
		c.reached.Remove(product)
		return c.Ready(ctx, product, attribute)
	}
	if empty, err := c.counts.Empty(ctx, product); err != nil || empty { // columns miss no comment
		return err
	}
	return c.unready(ctx, product)
}

// sortsAs reports whether an attribute sorts alike under a product's definitions, under
// those that all comments have reached, and under all between the two: some comments may
// be written under these.
func (c *Columns) sortsAs(ctx context.Context, product, attribute, filled string, want *attributes.Definitions) (bool, error) {
	if attribute == key.Helpful {
		return true, nil
	}
	versions, ok := attributes.Between(filled, want.Version())
	for _, v := range append(versions, filled) {
		if !ok {
			break
		}
		has, err := c.definitionsOf(ctx, version{product, v})
		if err != nil {
			return false, err
		}
		ok = sameOrder(has.Get(attribute), want.Get(attribute))
	}
	return ok, nil
}

// sameOrder reports whether values are sorted alike under two definitions.
func sameOrder(a, b *attributes.Definition) bool {
	return a != nil && b != nil && a.Sorting() == b.Sorting()
}
