package attributeorder_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// filling is a table under a virtual clock whose products wait for a fill.
type filling struct {
	*testing.T
	client *double.Client
	s      *store.Store
}

// withFills runs a test with products that got definitions after their comments: so many
// as is said, or one.
func withFills(t *testing.T, products []string, comments map[string]int, test func(f *filling)) {
	synctest.Test(t, func(t *testing.T) {
		f := &filling{T: t, client: double.New(double.Options{}).Client("test")}
		f.client.Set(faults.Rates{Latency: 100 * time.Millisecond})
		f.s = f.process(0)
		testkit.Must(f, f.s.EnsureTable(t.Context(), true))
		f.project()
		for _, product := range products {
			var file []store.Comment
			for i := range max(1, comments[product]) {
				file = append(file, store.Comment{ID: product + strconv.Itoa(i), ProductID: product, Rating: 1, Language: "en", CreatedAt: time.Unix(int64(i), 0), Attributes: json.RawMessage(`{"fit":1}`)})
			}
			testkit.Value(f.s.Import(t.Context(), file))(f)
		}
		f.project()
		for _, product := range products {
			testkit.Value(f.s.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: product}, Definitions: []attributes.Definition{{Key: "fit", Type: attributes.Number}}}))(f)
		}
		test(f)
	})
}

// process returns a process whose clock is off.
func (f *filling) process(off time.Duration) *store.Store {
	return store.New(f.client, "comments", store.Options{PlaceAge: -1, MetaAge: time.Second, Now: func() time.Time { return time.Now().Add(off) }})
}

func (f *filling) project() {
	f.Helper()
	testkit.Value(storetest.ProjectOnce(f.Context(), f.client, f.s.Projector()))(f)
}

// left returns the products that are still to be filled.
func (f *filling) left() string {
	f.Helper()
	fills := testkit.Value(f.s.AttributeIndex().Backfill().All(f.Context()))(f)
	var products []string
	for _, fill := range fills {
		products = append(products, fill.Product)
	}
	return fmt.Sprint(products)
}

// However wrong the clock of the process that saw a fill first, another one takes it up
// within a small time, and never before every process knows the definitions.
func TestFillsWhereClocksDiffer(t *testing.T) {
	for _, off := range []time.Duration{-5 * time.Hour, -time.Minute, 0, time.Minute, 5 * time.Hour} {
		t.Run(fmt.Sprintf("a clock is off by %s", off), func(t *testing.T) {
			withFills(t, []string{"42"}, nil, func(f *filling) {
				began, settles := time.Now(), f.s.Settings().SettleTime()
				testkit.Must(f, f.process(off).AttributeIndex().Maintain(f.Context())) // and it ends
				other := f.process(0)
				for f.left() != "[]" {
					testkit.Must(f, other.AttributeIndex().Maintain(f.Context()))
					time.Sleep(other.AttributeIndex().Pause())
					if took := time.Since(began); took > settles+time.Minute {
						f.Fatalf("after %s it waits still", took)
					}
					f.project()
				}
				_, _, records, err := storetest.Records(f.Context(), f.client, f.s.Projector())
				testkit.Must(f, err)
				for _, r := range records {
					if took := r.Created.Sub(began); r.Before["av"] == nil && r.After["av"] != nil && took < settles-time.Second { // which is rounded
						f.Errorf("a comment was touched after %s, before every process knows the definitions", took)
					}
				}
			})
		})
	}
}

// A fill that waits for the projector for ever, or that fails, and one that is large, keep
// no others from being filled.
func TestFillsTakeTurns(t *testing.T) {
	withFills(t, []string{"1-waits", "2-fails", "3-is-large", "4", "5"}, map[string]int{"3-is-large": 500}, func(f *filling) {
		f.client.Set(faults.Rates{Latency: time.Second})
		s := store.New(stuck(f.client), "comments", store.Options{PlaceAge: -1, MetaAge: time.Second})
		ctx, cancel := context.WithCancel(f.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = stream.New(f.client, s.Projector(), stream.Options{}).Run(ctx) })
		defer running.Wait()
		defer cancel()
		time.Sleep(90 * time.Second)
		testkit.Equal(f, f.left(), "[1-waits 2-fails 3-is-large]", "after 90 seconds there is left to fill")
		time.Sleep(5 * time.Minute)
		testkit.Equal(f, f.left(), "[1-waits 2-fails]", "after some minutes there is left to fill")
		for _, p := range testkit.Value(f.s.AttributeIndex().Backfill().All(f.Context()))(f) {
			want := map[string]settings.IndexState{"1-waits": settings.IndexBuilding, "2-fails": settings.IndexFailed}[p.Product]
			testkit.Check(f, p.State() == want && (p.Failed == "") == (want == settings.IndexBuilding), "%s is %s: %s", p.Product, p.State(), p)
		}
	})
}

// stuck returns a client that never shows the entries of one product, and does not list the
// comments of another.
func stuck(api store.API) store.API {
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if in, ok := in.(*dynamodb.QueryInput); ok {
			for _, v := range in.ExpressionAttributeValues {
				if of, ok := v.(*types.AttributeValueMemberS); ok && of.Value == key.PartitionAll("2-fails").Value {
					return &smithy.GenericAPIError{Code: "ValidationException", Message: "it cannot be listed"}
				}
			}
		}
		out, err := call(ctx)
		if out, ok := out.(*dynamodb.BatchGetItemOutput); ok && err == nil {
			for name, items := range out.Responses {
				out.Responses[name] = slices.DeleteFunc(items, func(it map[string]types.AttributeValue) bool {
					return strings.HasPrefix(table.Text(it, key.PK), "COLUMN#1-waits")
				})
			}
		}
		return err
	}}
}
