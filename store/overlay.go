package store

import (
	"context"
	"slices"
	"strings"

	"product-comments/store/attributes"
	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/reads"
	"product-comments/store/recent"
	"product-comments/store/table"
)

// overlay is how this process left the comments of a product that it changed a moment
// ago, for lists that are projected: what these hold of such a comment is left out, and
// the comment is put where it belongs. Lists that DynamoDB's own indexes keep follow
// every write by themselves and have none: it would hide what other servers do.
type overlay struct {
	comments map[string]*recent.Comment // by id
	strong   bool                       // projected lists must be read strongly consistent
}

// overlayOf returns the overlay for the projected lists of a product whose attributes have
// some definitions. A page takes it once for all that it reads, so it shows each comment
// once. Now and then it asks which writes are projected: half a read unit. It returns an
// Unavailable error if the store does not answer.
func (s *Store) overlayOf(ctx context.Context, product string, d *attributes.Definitions) (o overlay, err error) {
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return o, err
	}
	if s.recent.Due(product, s.t.Now()) {
		_, err := reads.Once(ctx, &s.following, product, func(ctx context.Context) (struct{}, error) {
			at := s.t.Now()
			projected, err := s.statistics.Names(ctx, product, now.Generation)
			if err == nil {
				s.recent.Followed(product, projected, now.Generation, at)
			}
			return struct{}{}, err
		})
		if err != nil {
			return o, table.Failed("read which writes are projected", err)
		}
	}
	of, behind := s.recent.Of(product, d, s.t.Now())
	if o.strong = behind; len(of) > 0 {
		o.comments = make(map[string]*recent.Comment, len(of))
	}
	for i := range of {
		o.comments[of[i].ID] = &of[i]
	}
	return o, nil
}

// of returns a comment of the overlay, nil if it has none with that id.
func (o overlay) of(id string) *recent.Comment { return o.comments[id] }

// mostHidden is how much more a query reads, at the most, for entries that are left out.
const mostHidden = 10

// room is how much more a query should read so that it need not be followed by another
// because entries are left out.
func (o overlay) room() int { return min(len(o.comments), mostHidden) }

// over puts the comments that belong there among the items of a query of a column,
// which has read up to an entry with a sort key; empty for the end.
func (v *values) over(items []exec.Item[*item.Stored], q exec.Request, next string) []exec.Item[*item.Stored] {
	if len(v.overlay.comments) == 0 {
		return items
	}
	n, byTime := len(items), q.Value != nil
	q = inColumnOf(q)
	for _, c := range v.overlay.comments {
		value, ok := v.valueIn(c, q.Partition)
		if !ok || q.From != nil && value < string(q.From) || q.To != nil && value > string(q.To) {
			continue
		}
		at := c.Row.Position()
		at.Value = value
		sort := at.SortKey()
		if !inStretch(sort, q, next) || !q.Only.Passes(c.Row.Language, c.Row.Rating, c.Row.HasText(), c.Row.IsVerified()) ||
			q.Only.Attributes && !v.hold(c.Row, told{{columnOf(q.Partition), value}}, inPart) {
			continue
		}
		if cut := v.cut(columnOf(q.Partition)); cut != nil && !wants(cut, c.Values) {
			continue
		}
		if byTime {
			at, sort = c.Row.Position(), c.Row.SortKey
		}
		row := *c.Row
		items = append(items, exec.Item[*item.Stored]{SortKey: sort, At: at, Language: row.Language, Rating: row.Rating, Size: row.Size, Value: &row})
	}
	if len(items) > n {
		slices.SortFunc(items, func(a, b exec.Item[*item.Stored]) int {
			if q.Descending {
				a, b = b, a
			}
			return strings.Compare(a.SortKey, b.SortKey)
		})
	}
	return items
}

// inStretch tells whether a sort key lies in what a query has read.
func inStretch(sort string, q exec.Request, next string) bool {
	before := func(a, b string) bool { return a != b && (a > b) == q.Descending }
	return (q.After == nil || before(q.After.SortKey(), sort)) && (q.Until == nil || before(sort, q.Until.SortKey())) &&
		(next == "" || !before(next, sort))
}

// valueIn returns the value that a comment has in a partition of a column, empty among
// those without one and in an index; ok is false if it is not there.
func (v *values) valueIn(c *recent.Comment, in key.Partition) (value string, ok bool) {
	if c.Whole == nil {
		return "", false
	}
	if !in.Index.Apart() {
		product, language, rating := c.Row.ProductID, c.Row.Language, c.Row.Rating
		return "", slices.Contains([]key.Partition{
			key.PartitionAll(product), key.PartitionByLang(product, language), key.PartitionByRating(product, rating), key.PartitionByLangAndRating(product, language, rating),
		}, in)
	}
	_, attribute, values, ok := key.ParseColumn(in.Value)
	if !ok {
		return "", false
	}
	switch attribute {
	case key.Helpful:
		value = columnOfHelpful(c.Whole)
	case "": // of comments without any
		return "", len(c.Values) == 0
	default:
		for i := range c.Values {
			if c.Values[i].Key == attribute {
				value = string(c.Values[i].Sort())
			}
		}
		if value == "" && len(c.Values) == 0 {
			return "", false
		}
	}
	return value, values == (value != "")
}
