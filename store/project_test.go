package store_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// project brings what is derived up to date, as a projector does.
func project(t testing.TB, s *store.Store) {
	t.Helper()
	storetest.Project(t, s.Projector())
}

// Two projectors that start from the same checkpoint with the same records, and
// one whose answers get lost, count each record once.
func TestProjectorsMeet(t *testing.T) {
	r := testkit.Random(t)
	table := storetest.TableName(t)
	faults := &forgetful{API: storetest.Client(t)}
	s := storeOn(t, storetest.Client(t), table)
	others := []*store.Store{s, store.New(storetest.Client(t), table, store.Options{PlaceAge: -1}), store.New(faults, table, store.Options{PlaceAge: -1})}
	m := shop{}
	project(t, s)
	for round := range 8 {
		for range 20 {
			m.change(t, r, s)
		}
		_, shard, all, err := storetest.Records(t.Context(), storetest.Streams(t), s.Projector())
		must(t, err)
		var group errgroup.Group
		for _, other := range others[2*(1-min(round, 1)):] { // at first only the forgetful one
			from, err := other.Projector().Open(t.Context(), shard, time.Time{})
			must(t, err)
			size := 1 + r.IntN(50)
			group.Go(func() error {
				for batch := range slices.Chunk(all, size) { // from the first record on: most are delivered again
					if _, err := other.Projector().Project(t.Context(), from, batch); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must(t, group.Wait())
		m.check(t, s)
	}
	if faults.lost.Load() == 0 {
		t.Error("no answer was lost")
	}
}

// forgetful loses the answers of transactions that took effect.
type forgetful struct {
	store.API
	lost atomic.Int64
}

func (f *forgetful) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	out, err := f.API.TransactWriteItems(ctx, in, o...)
	if err == nil {
		f.lost.Add(1)
		return nil, &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("TransactionConflict")}}}
	}
	return out, err
}

// statisticsItems returns the sort keys of all statistics items of the table, but for
// those that count nothing and expire.
func statisticsItems(t testing.TB, s *store.Store) []string {
	t.Helper()
	out, err := storetest.Client(t).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(s.Table())})
	must(t, err)
	var found []string
	for _, it := range out.Items {
		total, _ := it["count_total"].(*types.AttributeValueMemberN)
		if total != nil && total.Value == "0" && it["expires"] != nil {
			continue
		}
		if sk := it["SK"].(*types.AttributeValueMemberS).Value; strings.HasPrefix(sk, "S") {
			found = append(found, it["PK"].(*types.AttributeValueMemberS).Value+" "+sk)
		}
	}
	return found
}
