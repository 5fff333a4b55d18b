package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/storetest"
)

// metered adds up the units that the engine charges.
type metered struct {
	store.API
	mu            sync.Mutex
	read, written float64
}

func (m *metered) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.API.BatchGetItem(ctx, in, o...)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, c := range out.ConsumedCapacity {
			m.read += aws.ToFloat64(c.CapacityUnits)
		}
	}
	return out, err
}

func (m *metered) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.API.PutItem(ctx, in, o...)
	if err == nil && out.ConsumedCapacity != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.written += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	return out, err
}

// BenchmarkTexts measures what texts of a size cost: units a comment for
// writing it, for a page that shows 20 of them, and for loading those that the
// index does not carry. docs/storage.md has the figures.
func BenchmarkTexts(b *testing.B) {
	for _, size := range []int{0, 400, 1000, 2000, 3000, 4000, 5000, 8000, 16000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			m := &metered{API: storetest.Client(b)}
			s := storeOn(b, m, storetest.TableName(b))
			const n = 20
			list := make([]store.Comment, n)
			ids := make([]string, n)
			for i := range list {
				ids[i] = fmt.Sprintf("01J%023d", i)
				list[i] = store.Comment{ID: ids[i], ProductID: "42", Rating: 5, Language: "en", Title: "A title as usual", Author: "Somebody", Text: strings.Repeat("t", size), CreatedAt: time.Unix(int64(i), 0)}
			}
			importAll(b, s, list)
			m.read = 0
			var page store.Page
			for b.Loop() {
				var err error
				if page, err = s.Page(b.Context(), filterOf("42", "", 0), store.Window{Limit: n}); err != nil {
					b.Fatal(err)
				}
			}
			m.read = 0
			if page.Items[0].TextElsewhere {
				if _, err := s.GetMany(b.Context(), ids); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(m.written/n, "write-units/comment")
			b.ReportMetric(page.Cost.Units/n, "page-units/comment")
			b.ReportMetric(m.read/n, "load-units/comment")
		})
	}
}
