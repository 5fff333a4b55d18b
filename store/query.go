package store

import (
	"context"
	"slices"

	"product-comments/store/columns"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/scan"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// fetch returns how to query a partition that holds a product's comments, and leaves
// out those whose attributes have not the values that are wanted, as far as the
// partition tells. Columns have the overlay, and indexes where
// comments are gathered.
func (s *Store) fetch(productID string, v values) exec.Fetch[*item.Stored] {
	return func(ctx context.Context, q exec.Request) (exec.Batch[*item.Stored], error) {
		asked, apart := q, v.gathering || q.Partition.Index.Apart()
		if apart {
			asked.Limit += v.overlay.room()
		}
		rows, next, err := s.query(ctx, productID, asked, v.overlay.strong)
		if err != nil {
			return exec.Batch[*item.Stored]{}, err
		}
		column := columnOf(q.Partition)
		cut := v.cut(column)
		doubtful := map[string]bool{} // by comment id
		batch := exec.Batch[*item.Stored]{Items: make([]exec.Item[*item.Stored], 0, len(rows.Comments)), Evaluated: rows.Evaluated, Next: next, Units: rows.Units}
		for i := range rows.Comments {
			c := &rows.Comments[i]
			if apart && v.overlay.of(c.ID) != nil {
				continue
			}
			at, sortKey, value := c.Position(), c.SortKey, q.Prefix
			if rows.Sorts != nil && q.Prefix == "" {
				sortKey = rows.Sorts[i]
				at.Value, _, _ = key.CutValue(sortKey)
				value = at.Value
			}
			if (q.Only.Attributes || cut != nil) && !v.hold(c, told{{column, value}}, inPart) {
				continue
			}
			doubted := cut != nil && !cut.Shown && sortable.IsCut([]byte(value))
			if q.Only.Text { // a filter expression cannot look into a frame
				if err := s.unpack(ctx, c); err != nil {
					return batch, err
				}
				if !c.HasText() {
					continue
				}
			}
			if doubted {
				doubtful[c.ID] = true
			}
			batch.Items = append(batch.Items, exec.Item[*item.Stored]{SortKey: sortKey, At: at, Language: c.Language, Rating: c.Rating, Size: c.Size, Value: c})
		}
		if err := s.uncut(ctx, &batch, doubtful, cut, v.definitions); err != nil {
			return batch, err
		}
		if apart {
			batch.Items = v.over(batch.Items, q, next)
		}
		if v.among != nil {
			batch.Items = slices.DeleteFunc(batch.Items, func(it exec.Item[*item.Stored]) bool { return !v.among[it.Value.ID] })
		}
		if q.Only.Checked && !v.checked {
			if err := s.check(ctx, &batch, &v); err != nil {
				return batch, err
			}
		}
		return batch, nil
	}
}

// answer is what a query of comments has read.
type answer struct {
	table.Answer
	Comments []item.Stored
	Sorts    []string // of a column: the sort keys of their entries
}

// query makes one query of an index or a column, the latter strongly consistent if that
// is wanted.
func (s *Store) query(ctx context.Context, productID string, q exec.Request, consistent bool) (answer, *key.Position, error) {
	if q.Partition.Index.Apart() {
		_, _, values, _ := key.ParseColumn(q.Partition.Value)
		rows := &columns.Rows{Rows: item.Rows{ProductID: productID}, Values: values}
		a, next, err := scan.Query(ctx, s.t, q, consistent, item.Names, rows)
		return answer{a, rows.Comments, rows.Sorts}, next, err
	}
	rows := &item.Rows{ProductID: productID}
	a, next, err := scan.Query(ctx, s.t, q, false, item.Names, rows)
	return answer{a, rows.Comments, nil}, next, err
}
