package attributes

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Attributes of the items of fills. Whoever brings comments along may add others,
// which the next change of the definitions removes: it begins anew.
const (
	AttrSince = "since" // N, milliseconds since 1970, when the definitions changed
	AttrFill  = "fill"  // S, another one with each change
)

// Fill says that the comments of a product, or of a group's products, are to be
// written again under the definitions that they have now.
type Fill struct {
	Scope
	Since time.Time // writers may have used the former definitions until SettleTime after
	ID    string    // of the change
	Item  table.Item
}

// fillWrite notes that comments are to be brought along.
func (s *Store) fillWrite(of Scope) table.Write {
	it := FillKey(of)
	it[AttrSince] = &types.AttributeValueMemberN{Value: strconv.FormatInt(s.t.Now().UnixMilli(), 10)}
	it[AttrFill] = table.S(strconv.FormatInt(s.t.Random().Int64N(1<<62), 36))
	return table.Write{Put: it}
}

// FillKey is the primary key of the item that says that comments are to be brought along.
func FillKey(of Scope) table.Item { return table.KeyOf(key.AttributeFills, of.pk()) }

// Fills reads what is to be brought along, strongly consistent. It returns an
// Unavailable error if the store does not answer.
func (s *Store) Fills(ctx context.Context) (fills []Fill, err error) {
	err = s.t.Each(ctx, key.Partition{Index: key.Table, Value: key.AttributeFills}, func(it table.Item) error {
		of, ok := scopeOf(table.Text(it, key.SK))
		if !ok {
			return nil
		}
		since, err := table.Number(it, AttrSince)
		fills = append(fills, Fill{Scope: of, Since: time.UnixMilli(int64(since)).UTC(), ID: table.Text(it, AttrFill), Item: it})
		return err
	})
	return fills, err
}

// Filled ends a fill whose comments were all written again and projected, unless the
// definitions were changed once more. It returns an Unavailable error if the store
// does not answer.
func (s *Store) Filled(ctx context.Context, f Fill) error {
	w := table.Write{Key: FillKey(f.Scope), Delete: true}.Unchanged(f.Item, AttrFill)
	err := s.t.Write(ctx, "note that comments were brought along", w)
	if _, anew := table.IsRefused(err); anew {
		return nil
	}
	return err
}
