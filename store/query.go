package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/columns"
	"product-comments/store/errs"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
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
		rows, err := s.query(ctx, productID, asked, v.overlay.strong)
		if err != nil {
			return exec.Batch[*item.Stored]{}, err
		}
		column := columnOf(q.Partition)
		cut := v.cut(column)
		doubtful := map[string]bool{} // by comment id
		batch := exec.Batch[*item.Stored]{Items: make([]exec.Item[*item.Stored], 0, len(rows.Comments)), Evaluated: rows.Evaluated, Units: rows.Units}
		for i := range rows.Comments {
			c := &rows.Comments[i]
			if apart && v.overlay.of(c.ID) != nil {
				continue
			}
			at, sortKey := c.Position(), c.SortKey
			if rows.Sorts != nil {
				sortKey = rows.Sorts[i]
				at.Value = strings.TrimSuffix(sortKey, c.SortKey)
			}
			if (q.Only.Attributes || cut != nil) && !v.hold(c, told{{column, at.Value}}, inPart) {
				continue
			}
			doubted := cut != nil && !cut.Shown && sortable.IsCut([]byte(at.Value))
			if q.Value != nil {
				at.Value, sortKey = "", c.SortKey
			}
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
			batch.Items = v.over(batch.Items, q, rows.Next)
		}
		if v.among != nil {
			batch.Items = slices.DeleteFunc(batch.Items, func(it exec.Item[*item.Stored]) bool { return !v.among[it.Value.ID] })
		}
		if q.Only.Checked && !v.checked {
			if err := s.check(ctx, &batch, &v); err != nil {
				return batch, err
			}
		}
		if rows.Next != "" {
			at, ok := columns.Place(rows.Next, column != "")
			next, isPlace := key.ParseSortKey(at)
			if !ok || !isPlace {
				return batch, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the sort key %q", rows.Next)
			}
			if q.Value == nil {
				next.Value = strings.TrimSuffix(rows.Next, at)
			}
			batch.Next = &next
		}
		return batch, nil
	}
}

// query makes one query of an index or a column, the latter strongly consistent if that
// is wanted. Of an index it returns no sort keys.
func (s *Store) query(ctx context.Context, productID string, q exec.Request, consistent bool) (columns.Stretch, error) {
	q = inColumnOf(q)
	asked := queryOf(q)
	if q.Partition.Index.Apart() {
		asked.Consistent = consistent
		asked.From, asked.To = columns.Between(q.From, q.To)
		return s.columns.Read(ctx, productID, asked)
	}
	read := &item.Rows{ProductID: productID}
	answer, err := s.t.QueryRows(ctx, asked, item.Names, read)
	return columns.Stretch{Comments: read.Comments, Answer: answer}, err
}

// inColumnOf returns a request with the places of a list by time as they are in the
// column of a value, if it asks for one.
func inColumnOf(q exec.Request) exec.Request {
	if q.Value != nil {
		q.From, q.To = q.Value, q.Value
		q.After, q.Until = under(q.Value, q.After), under(q.Value, q.Until)
	}
	return q
}

// under returns a place of a list by time in a column, under a value.
func under(value []byte, at *key.Position) *key.Position {
	if at == nil {
		return nil
	}
	in := *at
	in.Value = string(value)
	return &in
}

func queryOf(q exec.Request) table.Query {
	out := table.Query{Partition: q.Partition, Descending: q.Descending, Limit: q.Limit}
	if q.Until != nil {
		out.Until = q.Until.SortKey()
	}
	if q.After != nil {
		out.After = q.After.StartKey(q.Partition)
	}
	filter := filter{Query: &out}
	if ratings := q.Only.Ratings.List(); len(ratings) > 0 {
		values := make([]types.AttributeValue, len(ratings))
		for i, r := range ratings {
			values[i] = table.N(r)
		}
		filter.in(item.AttrRating, values)
	}
	if languages := q.Only.Languages.List(); len(languages) > 0 {
		values := make([]types.AttributeValue, len(languages))
		for i, tag := range languages {
			values[i] = table.S(tag)
		}
		filter.in(item.AttrLanguage, values)
	}
	if q.Only.Verified {
		filter.in(item.AttrVerified, []types.AttributeValue{table.Bool(true)})
	}
	if q.Only.Text {
		filter.either(item.AttrsOfText)
	}
	return out
}

// filter adds conditions to the filter expression of a query, all of which must hold.
type filter struct{ *table.Query }

func (f filter) and(condition string) {
	if f.Filter != "" {
		condition = f.Filter + " AND " + condition
	}
	f.Filter = condition
}

// name returns what stands for an attribute in the expression.
func (f filter) name(attribute string) string {
	if f.Names == nil {
		f.Names = map[string]string{}
	}
	f.Names["#"+attribute] = attribute
	return "#" + attribute
}

// in wants an attribute to have one of some values.
func (f filter) in(attribute string, values []types.AttributeValue) {
	if f.Values == nil {
		f.Values = table.Item{}
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = ":" + attribute + strconv.Itoa(i)
		f.Values[names[i]] = v
	}
	f.and(f.name(attribute) + " IN (" + strings.Join(names, ", ") + ")")
}

// either wants one of some attributes to be there.
func (f filter) either(attributes []string) {
	there := make([]string, len(attributes))
	for i, a := range attributes {
		there[i] = "attribute_exists(" + f.name(a) + ")"
	}
	f.and("(" + strings.Join(there, " OR ") + ")")
}
