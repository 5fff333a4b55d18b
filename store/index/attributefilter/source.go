package attributefilter

import (
	"context"
	"slices"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/index/attributeorder"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/read/exec"
	"product-comments/store/read/plan"
	"product-comments/store/read/scan"
	"product-comments/store/table"
)

// source reads a product's comments for the operators of a plan. It implements exec.SortSource.
type source struct {
	*Lists
	filter plan.Filter
	Reading
}

// row is a comment as the executor reads it.
type row = exec.Item[*item.Stored]

// Source returns the source of a page of the comments that pass a filter.
func (l *Lists) Source(f plan.Filter, v Readings) exec.Source[*item.Stored] {
	if f.Family == (plan.Family{}) {
		return &source{l, f, v[f.ProductID]}
	}
	of := make(map[string]*source, len(v))
	for _, product := range f.Products() {
		of[product] = &source{l, f.OfProduct(product), v[product]}
	}
	return exec.Fetch[*item.Stored](func(ctx context.Context, q exec.Request) (exec.Batch[*item.Stored], error) {
		return of[q.ProductID].Scan(ctx, q)
	})
}

// Scan makes one query. It leaves out comments with attributes that do not satisfy the conditions,
// if the entries show these attributes.
func (s *source) Scan(ctx context.Context, q exec.Request) (batch exec.Batch[*item.Stored], err error) {
	asked := q
	if q.Overlay {
		asked.Limit += s.overlay.room()
	}
	_, attribute, values, _ := key.ParseColumn(q.Partition.Value)
	if !values {
		attribute = ""
	}
	rows := attributeorder.Rows{Rows: item.Rows{ProductID: s.filter.ProductID}, Values: values}
	var into table.Rows = &rows
	if !q.Partition.Index.Apart() {
		into = &rows.Rows
	}
	a, next, err := scan.Query(ctx, s.t, asked, s.overlay.strong && q.Partition.Index.Apart(), item.Names, into)
	if err != nil {
		return batch, err
	}
	batch = exec.Batch[*item.Stored]{Items: make([]row, 0, len(rows.Comments)), Evaluated: a.Evaluated, Next: next,
		Units: a.Units}
	cut, doubtful := s.cutCondition(attribute), map[string]bool(nil)
	for i, c := range rows.Comments {
		if q.Overlay && s.overlay.find(c.ID) != nil || !s.has(q.Partition, c.ID) {
			continue
		}
		at, sortKey, value := c.Position(), c.SortKey, q.Prefix
		if rows.Sorts != nil && q.Prefix == "" {
			sortKey = rows.Sorts[i]
			at.Value, _, _ = key.CutValue(sortKey)
			value = at.Value
		}
		if (q.Only.Attributes || cut != nil) &&
			!s.match(c, exec.IndexValues{{Attribute: attribute, Value: value}}, exec.InPart) {
			continue
		}
		if cut != nil && !cut.Shown && sortable.IsCut([]byte(value)) {
			if doubtful == nil {
				doubtful = map[string]bool{}
			}
			doubtful[c.ID] = true
		}
		batch.Items = append(batch.Items,
			row{SortKey: sortKey, At: at, Language: c.Language, Rating: c.Rating, Size: c.Size, Value: c})
	}
	if q.Overlay {
		batch.Items = s.mergeOverlay(batch.Items, q, next)
	}
	if q.Among != nil {
		batch.Items = slices.DeleteFunc(batch.Items, func(it row) bool { return !q.Among[it.Value.ID] })
	}
	return batch, s.check(ctx, &batch, func(it row) bool { return q.Only.Checked || doubtful[it.Value.ID] })
}

// check reads the doubted comments of a batch whole and leaves out comments that do not satisfy
// the conditions: their entries do not hold enough to decide.
func (s *source) check(ctx context.Context, b *exec.Batch[*item.Stored], doubted func(row) bool) error {
	var ids []string
	for _, it := range b.Items {
		if doubted(it) {
			ids = append(ids, it.Value.ID)
		}
	}
	found, spent, err := s.whole(ctx, ids)
	b.Units += spent.Units
	b.Items = slices.DeleteFunc(b.Items, func(it row) bool {
		whole := found[it.Value.ID]
		return doubted(it) && (whole == nil || !s.match(whole, nil, exec.InWhole))
	})
	return err
}

// whole reads whole comments, with text still compressed, by id. It leaves out comments that
// are not published.
func (s *source) whole(ctx context.Context, ids []string) (found map[string]*item.Stored, spent plan.Spent, err error) {
	found = make(map[string]*item.Stored, len(ids))
	keys := make([]table.Item, 0, len(ids))
	for _, id := range ids {
		if own := s.overlay.find(id); own == nil {
			keys = append(keys, table.Key(key.Comment(id)))
		} else if own.Whole != nil {
			c := *own.Whole
			found[id] = &c
		}
	}
	if len(keys) == 0 {
		return found, spent, nil
	}
	within, meter := table.WithMeter(ctx)
	err = s.t.GetMany(within, keys, false, func(it table.Item) error {
		if item.IsHidden(it) {
			return nil
		}
		c, err := item.Read(it, "")
		found[c.ID] = &c
		return err
	})
	units, _ := meter.Read()
	return found, plan.Spent{Units: units, Queries: 1, Items: len(keys)}, err
}

// Whole implements exec.SortSource.
func (s *source) Whole(ctx context.Context, of []row) (passed []row, spent plan.Spent, err error) {
	ids := make([]string, len(of))
	for i := range of {
		ids[i] = of[i].Value.ID
	}
	found, spent, err := s.whole(ctx, ids)
	if err != nil {
		return nil, spent, err
	}
	only := plan.Only{Languages: s.filter.Languages, Ratings: s.filter.Ratings, Which: s.filter.Which()}
	for _, it := range of {
		if it.Value = found[it.Value.ID]; it.Value == nil || it.Value.ProductID != s.filter.ProductID {
			continue
		}
		if scan.Passes(only, it.Value) {
			passed = append(passed, it)
		}
	}
	return passed, spent, nil
}

// Match implements exec.SortSource.
func (s *source) Match(it *row, read exec.IndexValues, known exec.Extent) bool {
	it.At = s.position(s.filter.Order, it.Value, read, known)
	return s.filter.Created.Has(it.Value.CreatedAt) && s.match(it.Value, read, known)
}

// match reports whether a comment may satisfy the conditions, given the values that were read:
// in an attribute index the value of the entry, elsewhere the shown attributes.
func (v *Reading) match(c *item.Stored, read exec.IndexValues, known exec.Extent) bool {
	raw := c.Shown
	if known == exec.InWhole {
		raw = c.Attributes
	}
	var has []attributes.Value
	parsed := false
	for i := range v.conditions {
		want := &v.conditions[i]
		value, ok := read.Value(want.Attribute)
		switch {
		case ok && !want.Holds([]byte(value)):
			return false
		case ok && (want.Texts == nil || known != exec.InWhole && !want.Shown): // see check
			continue
		case !ok && known != exec.InWhole && !want.Shown:
			if known == exec.InLists {
				return false
			}
			continue
		case !parsed:
			has, parsed = v.definitions.Values(raw), true
		}
		at := slices.IndexFunc(has, func(of attributes.Value) bool { return of.Key == want.Attribute })
		if at < 0 || !want.Wants(has[at].Sort(), has[at].String()) {
			return false
		}
	}
	return true
}

// position returns the position of a comment in a list, given the values that were read.
func (v *Reading) position(o plan.Order, c *item.Stored, read exec.IndexValues, known exec.Extent) key.Position {
	at := c.Position()
	if !o.ByValue() {
		at.Range = o.RangeOf(c.Rating)
		return at
	}
	value, ok := read.Value(o.Index())
	switch {
	case ok:
	case o.Field == plan.ByHelpful && known == exec.InWhole:
		value = columnOfHelpful(c)
	case o.Field == plan.ByAttribute:
		raw := c.Shown
		if known == exec.InWhole {
			raw = c.Attributes
		}
		for _, has := range v.definitions.Values(raw) {
			if has.Key == o.Attribute {
				value = string(has.Sort())
			}
		}
	}
	at.Value, at.Range = value, o.RangeOfValue(value != "")
	return at
}

// columnOfHelpful returns the value of a comment in the attribute index of votes.
func columnOfHelpful(c *item.Stored) string {
	return string(attributeorder.HelpfulValue(c.HelpfulCount(), c.Down))
}

// cutCondition returns the condition on an attribute if it compares texts that the attribute
// index stores cut off, else nil. The whole value of such an entry must be read from the
// comment.
func (v *Reading) cutCondition(attribute string) *plan.Condition {
	for i := range v.conditions {
		if c := &v.conditions[i]; c.Attribute == attribute && c.Texts != nil {
			return c
		}
	}
	return nil
}
