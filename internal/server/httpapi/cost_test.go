package httpapi_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/graph"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/storetest"
)

// measured is a table that adds up what its reads cost.
type measured struct {
	store.API
	mu    sync.Mutex
	units float64
	calls int
}

func (m *measured) charge(capacity ...types.ConsumedCapacity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	for _, c := range capacity {
		m.units += aws.ToFloat64(c.CapacityUnits)
	}
}

// Query leaves out the options. With them the store would decode the response
// itself, and its consumed capacity would not be in the output.
func (m *measured) Query(
	ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options),
) (*dynamodb.QueryOutput, error) {
	out, err := m.API.Query(ctx, in)
	if err == nil {
		m.charge(*out.ConsumedCapacity)
	}
	return out, err
}

func (m *measured) GetItem(
	ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.GetItemOutput, error) {
	out, err := m.API.GetItem(ctx, in, o...)
	if err == nil {
		m.charge(*out.ConsumedCapacity)
	}
	return out, err
}

func (m *measured) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	out, err := m.API.BatchGetItem(ctx, in, o...)
	if err == nil {
		m.charge(out.ConsumedCapacity...)
	}
	return out, err
}

func (m *measured) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units, m.calls = 0, 0
}

// The answer to every operation that ran has its cost: exactly what the table
// charged.
func TestCostOfOperations(t *testing.T) {
	table := &measured{API: storetest.Client(t)}
	s := serve(t, func(c *httpapi.Config) { c.Store = store.New(table, c.Store.Table(), store.Options{}) })
	list := apitest.Comments(60)
	for i := range list {
		list[i].Rating = 1 + i%4 // none is rated 5
		if i%7 == 0 {
			list[i].Text = strings.Repeat("long ", item.InlineText)
		}
	}
	s.Fill(t, list...)
	s.Project(t)
	for _, c := range []struct {
		query      string
		complexity int
		roundTrips int // -1 if that depends on timing
		fails      bool
	}{
		{`{__typename}`, 1, 0, false},
		{`{product(id:"42"){productId}}`, 2, 0, false},
		{`{product(id:"42"){comments{nodes{commentId}}}}`, 81, 1, false},
		{`{product(id:"42"){comments(first:30){nodes{text}}}}`, 381, 2, false},                   // the page, and long texts
		{`{product(id:"42"){comments(ratings:[1,5],first:3){nodes{commentId}}}}`, 30, -1, false}, // and what planning wants to know
		{`{product(id:"42"){stats{totalCount} comments(ratings:[2,3],first:3){totalCount}}}`, 35, -1, false},
		{`{leaderboard{nodes{productId}}}`, 80, -1, false},
		{`{a:comment(id:"c001"){rating} b:comment(id:"none"){rating}}`, 12, -1, false},
		{`{product(id:"42"){comments(first:-1){nodes{commentId}}}}`, 21, 0, true},
		{`mutation{deleteComment(input:{id:"none"}){deletedId}}`, 21, -1, true},
	} {
		table.reset()
		a := s.Post(t, c.query, nil)
		cost := a.Extensions.Cost
		testkit.Need(t, cost != nil && (len(a.Errors) > 0) == c.fails, "%s: %+v, %+v", c.query, a.Extensions, a.Errors)
		if cost.Complexity != c.complexity || cost.ReadUnits != table.units || cost.RoundTrips > table.calls ||
			(c.roundTrips >= 0 && cost.RoundTrips != c.roundTrips) {
			t.Errorf("%s: %+v, want complexity %d, %v units, %d round trips of %d calls", c.query, *cost, c.complexity,
				table.units, c.roundTrips, table.calls)
		}
		testkit.Check(t, !strings.Contains(c.query, "nodes{commentId}") || c.fails || cost.ReadUnits != 0, "%s: it read nothing", c.query)
	}
}

// A request of which nothing ran has no cost.
func TestRefusedRequestsHaveNoCost(t *testing.T) {
	s := serve(t)
	for _, query := range []string{``, `{`, `{nothing}`,
		`{products(ids:[` + strings.Repeat(`"1",`, graph.MaxIDs) + `]){comments{nodes{id text}}}}`} {
		a := s.Post(t, query, nil)
		testkit.Check(t, len(a.Errors) == 1 && a.Extensions.Cost == nil, "%.20s: %+v, %+v", query, a.Errors, a.Extensions)
	}
}
