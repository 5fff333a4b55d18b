package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Statistics run behind the comments. A page must not leave out a partition
// because its count is still zero, so a product's hints name the kinds of
// comments (language and rating) that may exist although they are not counted:
//
//   - A writer of a comment whose kind is neither counted nor hinted hints it first.
//   - The projector hints a kind in the transaction that brings its count to
//     zero: a writer may have seen the count before that.
//   - The projector drops hints that are older than hintLife when it next
//     changes the product.
//
// A zero is believed only if its kind is not hinted. Then nothing of that kind
// can be under way: a writer sees a count or hint that it relies on at most
// positiveAge before it writes, and its record is projected, or known to be
// lost, within the 24 hours that a stream keeps it.
const (
	hintLife    = 26 * time.Hour
	hintRenewal = 12 * time.Hour // a writer renews an older hint instead of relying on it
	positiveAge = time.Hour
)

// hintsItem is a product's hints: attributes named by key.Hint, each the time
// at which the kind was hinted in seconds since 1970.
type hintsItem struct {
	product  string
	exists   bool
	revision int
	kinds    map[string]int64
}

func hintsKey(productID string) item {
	return item{key.PK: str(key.Product(productID)), key.SK: str(key.HintsSK)}
}

func hintsOf(productID string, it item) hintsItem {
	h := hintsItem{product: productID, exists: len(it) > 0, kinds: map[string]int64{}}
	for name, value := range it {
		n, _ := value.(*types.AttributeValueMemberN)
		if n == nil {
			continue
		}
		seconds, err := strconv.ParseInt(n.Value, 10, 64)
		if name == attrRevision && err == nil {
			h.revision = int(seconds)
		} else if err == nil {
			h.kinds[name] = seconds
		}
	}
	return h
}

// ratings returns the ratings of a language, or of any, that are hinted.
func (h hintsItem) ratings(language string) key.Ratings {
	var set key.Ratings
	for name := range h.kinds {
		if l, rating, ok := key.ParseHint(name); ok && (language == "" || l == language) {
			set |= 1 << (rating - 1)
		}
	}
	return set
}

// write returns the change that adds hints and drops those that are too old,
// nil if there is nothing to change.
func (h hintsItem) write(table string, add []string, now time.Time) *types.TransactWriteItem {
	names, values := map[string]string{}, item{}
	var set, remove, conditions []string
	for i, kind := range add {
		n := fmt.Sprintf("#a%d", i)
		names[n] = kind
		set = append(set, n+" = :now")
	}
	for kind, seconds := range h.kinds {
		if now.Unix()-seconds < int64(hintLife.Seconds()) || slices.Contains(add, kind) {
			continue
		}
		n, v := fmt.Sprintf("#r%d", len(remove)), fmt.Sprintf(":r%d", len(remove))
		names[n], values[v] = kind, &types.AttributeValueMemberN{Value: strconv.FormatInt(seconds, 10)}
		remove = append(remove, n)
		conditions = append(conditions, n+" = "+v)
	}
	if len(set)+len(remove) == 0 {
		return nil
	}
	if len(remove) == len(h.kinds) && len(set) == 0 {
		return &types.TransactWriteItem{Delete: &types.Delete{
			TableName: &table, Key: hintsKey(h.product), ConditionExpression: aws.String(attrRevision + " = :rev"),
			ExpressionAttributeValues: item{":rev": num(h.revision)},
		}}
	}
	values[":one"] = num(1)
	var update strings.Builder
	if len(set) > 0 {
		values[":now"] = num(int(now.Unix()))
		update.WriteString("SET " + strings.Join(set, ", ") + " ")
	}
	if len(remove) > 0 {
		update.WriteString("REMOVE " + strings.Join(remove, ", ") + " ")
	}
	update.WriteString("ADD " + attrRevision + " :one")
	u := &types.Update{
		TableName: &table, Key: hintsKey(h.product), UpdateExpression: aws.String(update.String()),
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}
	if len(conditions) > 0 {
		u.ConditionExpression = aws.String(strings.Join(conditions, " AND "))
	}
	return &types.TransactWriteItem{Update: u}
}

// announce prepares the writing of comments: it hints their kinds if need be,
// and returns the generation of statistics that they are to be counted in.
func (s *Store) announce(ctx context.Context, comments ...*Comment) (generation int, err error) {
	meta, err := s.recentMeta(ctx)
	if err != nil {
		return 0, err
	}
	var unsure []stats.Counted
	asked := map[stats.Counted]bool{}
	for _, c := range comments {
		kind := stats.Counted{ProductID: c.ProductID, Language: c.Language, Rating: c.Rating, Generation: meta.Generation}
		if !asked[kind] && !s.catalog.sure(kind, s.now()) {
			asked[kind] = true
			unsure = append(unsure, kind)
		}
		if meta.PowerSets[c.ProductID] != PowerSetOff {
			s.catalog.wrote(c.ProductID, s.now())
		}
	}
	if len(unsure) == 0 {
		return meta.Generation, nil
	}
	scopes := map[stats.Scope]bool{}
	for _, kind := range unsure {
		scopes[stats.Scope{ProductID: kind.ProductID, Language: kind.Language}] = true
	}
	at := s.now()
	known, err := s.getStatistics(ctx, scopes)
	if err != nil {
		return 0, err
	}
	missing := map[string][]string{} // product to hints
	for _, kind := range unsure {
		name := key.Hint(kind.Language, kind.Rating)
		hintedAt := time.Unix(known.hints[kind.ProductID].kinds[name], 0)
		counted := known.items[stats.Scope{ProductID: kind.ProductID, Language: kind.Language}].as(meta.Generation)
		if counted.Tally[kind.Rating-1] == 0 && at.Sub(hintedAt) > hintRenewal {
			missing[kind.ProductID] = append(missing[kind.ProductID], name)
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(importWriters)
	for product, kinds := range missing {
		group.Go(func() error { return s.hint(groupCtx, product, kinds) })
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	for _, kind := range unsure {
		// Also if somebody else hinted it: what this process read before may not know.
		s.catalog.hinted(kind.ProductID, s.now())
		s.catalog.isSure(kind, at)
	}
	return meta.Generation, nil
}

// hint adds kinds to a product's hints.
func (s *Store) hint(ctx context.Context, product string, kinds []string) error {
	add := hintsItem{product: product}.write(s.table, kinds, s.now()).Update
	_, err := s.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: add.TableName, Key: add.Key, UpdateExpression: add.UpdateExpression,
		ExpressionAttributeNames: add.ExpressionAttributeNames, ExpressionAttributeValues: add.ExpressionAttributeValues,
	})
	return failed("announce the comment", err)
}
