package attributefilter

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/attributes"
	"product-comments/store/index/attributeorder"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// Reading has what the read of one list takes: the attribute definitions, the conditions and the
// overlay. The zero value reads a list without attributes.
type Reading struct {
	definitions *attributes.Definitions
	conditions  []plan.Condition
	overlay     overlay
	// voted are the ids of the comments in the attribute index of a list by votes, nil if it has all.
	voted map[string]bool
}

// Readings are the Reading of each product of a list.
type Readings map[string]Reading

// Add adds the definitions of the attributes to a query's order and conditions: for a family, to
// its members, and what their conditions have in common. It returns an Unavailable error while an
// attribute index that the query needs is being backfilled, and the errors of Filters if the
// definitions have changed since the filter was made.
func (l *Lists) Add(ctx context.Context, q *plan.Query) (Readings, error) {
	if q.Family == (plan.Family{}) {
		v, err := l.add(ctx, q)
		return Readings{q.ProductID: v}, err
	}
	reads, ctx := errgroup.WithContext(ctx)
	queries, readings := make([]plan.Query, len(q.Members)), make([]Reading, len(q.Members))
	for i := range q.Members {
		m := &q.Members[i]
		queries[i] = plan.Query{Filter: q.OfProduct(m.Product), Known: m.Known}
		reads.Go(func() (err error) {
			readings[i], err = l.add(ctx, &queries[i])
			m.Values = queries[i].Values
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	all := make(Readings, len(q.Members))
	for i, of := range queries {
		all[q.Members[i].Product] = readings[i]
		if q.Conditions == nil {
			q.Conditions = slices.Clone(of.Conditions)
			continue
		}
		for n := range q.Conditions {
			if !q.Conditions[n].Join(of.Conditions[n]) {
				return nil, notAlike("attributes", q.Conditions[n].Attribute)
			}
		}
	}
	q.Sum()
	return all, nil
}

// add is Add for a product.
func (l *Lists) add(ctx context.Context, q *plan.Query) (v Reading, err error) {
	if v.definitions, err = l.definitions.Definitions(ctx, q.ProductID); err != nil {
		return v, err
	}
	q.Values.Count = -1
	needed := map[string]bool{} // attributes
	switch q.Order.Field {
	case plan.ByAttribute:
		def := v.definitions.Get(q.Order.Attribute)
		if def == nil {
			return v, notAnAttribute("orderBy.attribute", q.Order.Attribute)
		}
		q.Values.Shown = def.Shown
		needed[def.Key] = true
	case plan.ByHelpful:
		needed[key.Helpful] = true
	}
	for _, f := range q.Filter.Attributes.List() {
		_, c, err := condition(v.definitions, "attributes", f)
		if err != nil {
			return v, err
		}
		v.conditions = append(v.conditions, c)
		needed[c.Attribute] = true
	}
	q.Conditions = v.conditions
	if err := l.hideUntilComplete(ctx, q); err != nil {
		return v, err
	}
	if len(q.Conditions) > 0 || q.Order.Field == plan.ByAttribute {
		l.countValues(ctx, q, v.definitions)
	}
	for column := range needed {
		err := l.index.Ready(ctx, q.ProductID, column)
		if column == key.Helpful && errors.Is(err, attributeorder.ErrPart) {
			var readErr error
			if v.voted, q.Values.Partial, readErr = l.index.Voted(ctx, q.ProductID); readErr != nil {
				return v, readErr
			}
		}
		if q.Values.None = errors.Is(err, attributeorder.ErrNone); err != nil && !q.Values.None && !q.Values.Partial {
			return v, err
		}
	}
	v.overlay, err = l.overlayOf(ctx, q.ProductID, v.definitions)
	v.overlay.strong = v.overlay.strong || v.voted != nil
	return v, err
}

// has reports whether a list by votes has a comment in a partition. It is in the attribute index if
// it was there when the read began or this process knows its votes, otherwise in the index by time.
func (v *Reading) has(in key.Partition, id string) bool {
	if v.voted == nil {
		return true
	}
	voted := v.voted[id]
	if own := v.overlay.find(id); own != nil {
		voted = own.Whole != nil && columnOfHelpful(own.Whole) != ""
	}
	return voted == in.Index.Apart()
}

// hideUntilComplete treats all attributes of the query as not shown until every comment follows
// the current definitions: before that, some comments may lack the values of attributes that
// have only become shown with these definitions.
func (l *Lists) hideUntilComplete(ctx context.Context, q *plan.Query) error {
	shown := q.Values.Shown
	for i := range q.Conditions {
		shown = shown || q.Conditions[i].Shown
	}
	if !shown {
		return nil
	}
	complete, err := l.index.Complete(ctx, q.ProductID)
	if err != nil || complete {
		return err
	}
	q.Values.Shown = false
	for i := range q.Conditions {
		q.Conditions[i].Shown = false
	}
	return nil
}
