package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/sortable"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// Of the comments in one language the least and the greatest number are looked for
// among those in any, in so many queries of so many entries.
const (
	extremeQueries = 2
	extremeEntries = 200
)

// Extreme returns the least number that comments have of an attribute, or the greatest,
// given the summary of those in a language, or in any if it is empty: from the summary
// if it tells, else from the attribute's column. ok is false if there is none, or if it
// would take too much to find: when comments in other languages have hundreds of
// numbers beside it. It returns an Unavailable error if the store does not answer or
// the column is not complete.
func (s *Store) Extreme(ctx context.Context, product, language, attribute string, of summary.Summary, greatest bool) (extreme float64, ok bool, err error) {
	if least, most, known := of.Extremes(); known && greatest {
		return most, true, nil
	} else if known {
		return least, true, nil
	}
	if of.Numbers == 0 {
		return 0, false, nil
	}
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	if err := s.columns.Ready(ctx, product, attribute); err != nil {
		return 0, false, err
	}
	in := key.ColumnValues(product, attribute)
	q := table.Query{Partition: in, Descending: greatest, Limit: 1}
	if language != "" {
		q.Limit = extremeEntries
		filter := filter{Query: &q}
		filter.in(item.AttrLanguage, []types.AttributeValue{table.S(language)})
		if border, ok := of.Beyond(greatest); ok && greatest {
			q.To = string(sortable.AppendNumber(nil, border)) + "\xff" // behind every place, which begins with a digit
		} else if ok {
			q.From = string(sortable.AppendNumber(nil, border))
		}
	}
	for range extremeQueries {
		read, err := s.columns.Read(ctx, product, q)
		table.Spent(ctx, read.Units, 1)
		if err != nil {
			return 0, false, err
		}
		if len(read.Sorts) > 0 {
			v, _, ok := sortable.Decode([]byte(read.Sorts[0]))
			return v.Number.Float(), ok && v.Kind == sortable.KindNumber, nil
		}
		if read.Next == "" {
			break
		}
		q.After = map[string]string{key.PK: in.Value, key.SK: read.Next}
	}
	return 0, false, nil
}
