package attributefilter

import (
	"context"

	"product-comments/store/index/attributestats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/read/exec"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// Extremes of one language are searched in the attribute index of all languages, with at most
// extremeQueries queries of extremeEntries entries.
const (
	extremeQueries = 2
	extremeEntries = 200
)

// Extreme returns the least or the greatest number of an attribute. The argument counted has its
// statistics. Extreme uses the statistics if they have the number, otherwise the attribute's index.
// ok is false if there is no number, or if too many entries of other languages would have to be
// read. It returns an Unavailable error if the attribute index is not complete.
func (l *Lists) Extreme(ctx context.Context, of attributestats.Attribute, counted summary.Summary, greatest bool) (extreme float64, ok bool, err error) {
	ctx, cancel := l.t.Deadline(ctx)
	defer cancel()
	if least, most, known := counted.Extremes(); known && greatest {
		return most, true, nil
	} else if known {
		return least, true, nil
	}
	if counted.Numbers == 0 {
		return 0, false, nil
	}
	v, err := l.valuesFor(ctx, of.ProductID, of.Key)
	if err != nil {
		return 0, false, err
	}
	var least, most []byte
	q := exec.Request{Range: exec.Range{Descending: greatest}, Limit: 1, Overlay: true}
	if of.Language != "" {
		q.Limit, q.Only = extremeEntries, plan.Only{Languages: key.LanguagesOf(of.Language)}
		if border, ok := counted.Beyond(greatest); ok && greatest {
			most = sortable.AppendNumber(nil, border)
		} else if ok {
			least = sortable.AppendNumber(nil, border)
		}
	}
	q.Span = key.ValuesBetween(key.ColumnValues(of.ProductID, of.Key), least, most)
	from := source{l, plan.Filter{ProductID: of.ProductID}, v}
	for range extremeQueries {
		read, err := from.Scan(ctx, q)
		table.Spent(ctx, read.Units, 1)
		if err != nil {
			return 0, false, err
		}
		if len(read.Items) > 0 {
			value, _, ok := sortable.Decode([]byte(read.Items[0].At.Value))
			return value.Number.Float(), ok && value.Kind == sortable.KindNumber, nil
		}
		if read.Next == nil {
			break
		}
		q.After = read.Next
	}
	return 0, false, nil
}

// valuesFor returns the values for reading an attribute's index. It returns an Unavailable
// error while the attribute index is not complete.
func (l *Lists) valuesFor(ctx context.Context, product, attribute string) (v Reading, err error) {
	if v.definitions, err = l.definitions.Definitions(ctx, product); err != nil {
		return v, err
	}
	if err := l.index.Ready(ctx, product, attribute); err != nil {
		return v, err
	}
	v.overlay, err = l.overlayOf(ctx, product, v.definitions)
	return v, err
}
