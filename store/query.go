package store

import (
	"context"
	"strconv"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// fetch returns how to query a partition that holds a product's comments.
func (s *Store) fetch(productID string) exec.Fetch[*item.Stored] {
	return func(ctx context.Context, q exec.Request) (exec.Batch[*item.Stored], error) {
		rows := &item.Rows{ProductID: productID}
		answer, err := s.t.QueryRows(ctx, queryOf(q), item.Names, rows)
		if err != nil {
			return exec.Batch[*item.Stored]{}, err
		}
		batch := exec.Batch[*item.Stored]{Items: make([]exec.Item[*item.Stored], len(rows.Comments)), Evaluated: answer.Evaluated, Units: answer.Units}
		for i := range rows.Comments {
			c := &rows.Comments[i]
			batch.Items[i] = exec.Item[*item.Stored]{SortKey: c.SortKey, Rating: c.Rating, Size: c.Size, Value: c}
		}
		if answer.Next != "" {
			next, ok := key.ParseSortKey(answer.Next)
			if !ok {
				return batch, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the sort key %q", answer.Next)
			}
			batch.Next = &next
		}
		return batch, nil
	}
}

func queryOf(q exec.Request) table.Query {
	out := table.Query{Partition: q.Partition, Descending: q.Descending, Limit: q.Limit}
	if q.Until != nil {
		out.Until = q.Until.SortKey()
	}
	if q.After != nil {
		out.After = q.After.StartKey(q.Partition)
	}
	if ratings := q.Ratings.List(); len(ratings) > 0 {
		passes := make([]string, len(ratings))
		out.Names, out.Values = map[string]string{"#rating": item.AttrRating}, table.Item{}
		for i, r := range ratings {
			passes[i] = ":r" + strconv.Itoa(r)
			out.Values[passes[i]] = table.N(r)
		}
		out.Filter = "#rating IN (" + strings.Join(passes, ", ") + ")"
	}
	return out
}
