package cases

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// LookFor is how long a person looks at a comment, unless they say again that they do.
const LookFor = time.Minute

// Look says that a person looks at a comment.
type Look struct {
	By    string // their subject
	Until time.Time
}

const (
	attrLooks     = "looks" // M of N: milliseconds since 1970, by subject
	attrLooksRev  = "rev"   // N
	mostLooks     = 5       // that are shown
	mostLooksKept = 50
)

func looksKey(commentID string) table.Item { return table.KeyOf(key.Case(commentID), key.LooksSK) }

// IsLook reports whether an item says that a person looks, or looked, at a comment.
func IsLook(it table.Item, subject string) bool {
	looks, _ := it[attrLooks].(*types.AttributeValueMemberM)
	return looks != nil && looks.Value[subject] != nil && table.Text(it, key.SK) == key.LooksSK
}

// Look records that a person looks at a comment for LookFor. It costs a read and a write unit. A
// person without a subject is not recorded.
func (s *Cases) Look(ctx context.Context, commentID, by string) error {
	if by == "" {
		return nil
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	return s.t.Race(ctx, "record who looks at the comment", func() error {
		was, err := s.t.Get(ctx, "who looks at the comment", looksKey(commentID))
		if err != nil {
			return err
		}
		now := s.t.Now()
		others, err := looksOf(was, by, now)
		if err != nil {
			return err
		}
		looks := table.Item{}
		for _, l := range append(others[:min(len(others), mostLooksKept)], Look{by, now.Add(LookFor)}) {
			looks[l.By] = table.N(int(l.Until.UnixMilli()))
		}
		revision, err := table.Number(was, attrLooksRev)
		if err != nil {
			return err
		}
		it := looksKey(commentID)
		it[attrLooks] = &types.AttributeValueMemberM{Value: looks}
		it[attrLooksRev] = table.N(s.t.Random().NextRevision(revision))
		it[item.AttrExpires] = table.N(int(now.Add(2 * LookFor).Unix()))
		return s.t.Write(ctx, "record who looks at the comment", table.Write{Put: it}.IfRevision(attrLooksRev, revision))
	})
}

// Looks reads for each of some different comments which other people look at it, at most five,
// the last who said so first. It costs half a read unit a comment.
func (s *Cases) Looks(ctx context.Context, commentIDs []string, except string) ([][]Look, error) {
	keys := make([]table.Item, len(commentIDs))
	for i, id := range commentIDs {
		keys[i] = looksKey(id)
	}
	now, of := s.t.Now(), map[string][]Look{}
	err := s.t.GetMany(ctx, keys, false, func(it table.Item) error {
		all, err := looksOf(it, except, now)
		id, _ := key.CaseOf(table.Text(it, key.PK))
		of[id] = all[:min(len(all), mostLooks)]
		return err
	})
	out := make([][]Look, len(commentIDs))
	for i, id := range commentIDs {
		out[i] = of[id]
	}
	return out, err
}

// looksOf returns the looks in an item that last now, but a person's own. DynamoDB may keep items
// days after their end.
func looksOf(it table.Item, except string, now time.Time) (all []Look, err error) {
	looks, _ := it[attrLooks].(*types.AttributeValueMemberM)
	if looks == nil {
		return nil, nil
	}
	for by := range looks.Value {
		ms, err := table.Number(looks.Value, by)
		if err != nil {
			return nil, table.Damaged(it, err)
		}
		if until := time.UnixMilli(int64(ms)).UTC(); by != except && until.After(now) && until.Before(now.Add(2*LookFor)) { // a later one is of a wrong clock
			all = append(all, Look{by, until})
		}
	}
	slices.SortFunc(all, func(a, b Look) int {
		return cmp.Or(b.Until.Compare(a.Until), strings.Compare(a.By, b.By))
	})
	return all, nil
}
