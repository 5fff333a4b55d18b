package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/graph"
	"product-comments/internal/httpapi"
	"product-comments/store"
	"product-comments/store/storetest"
)

// measured is what the table charges for reads.
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

// Query leaves out the options, with which the store would read the answer by
// itself: here it is read twice.
func (m *measured) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := m.API.Query(ctx, in)
	if err == nil {
		m.charge(*out.ConsumedCapacity)
	}
	return out, err
}

func (m *measured) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := m.API.GetItem(ctx, in, o...)
	if err == nil {
		m.charge(*out.ConsumedCapacity)
	}
	return out, err
}

func (m *measured) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
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

// explaining serves with plans, on a store of its own that has written nothing
// and knows nothing.
func explaining(t testing.TB) (*service, *measured) {
	table := &measured{API: storetest.Client(t)}
	return serve(t, func(c *httpapi.Config) {
		c.Explain = true
		c.Store = store.New(table, c.Store.Table(), store.Options{})
	}), table
}

const wholePlan = `{strategy index reason estimate{readUnits queries roundTrips discarded} actual{readUnits queries roundTrips itemsRead itemsShown}
	partitions{partition index role limit filter estimatedItems estimatedReadUnits actualItems actualReadUnits queries}
	skipped{partition index reason} rejected{strategy index reason estimate{readUnits}} text}`

type planEstimate struct{ ReadUnits, Queries, RoundTrips, Discarded float64 }

// queryPlan is a plan as clients read it.
type queryPlan struct {
	Strategy, Index, Reason string
	Estimate                planEstimate
	Actual                  struct {
		ReadUnits                                  float64
		Queries, RoundTrips, ItemsRead, ItemsShown int
	}
	Partitions []struct {
		Partition, Index, Role string
		Limit                  int
		Filter                 []int
		EstimatedItems         float64
		EstimatedReadUnits     float64
		ActualItems            int
		ActualReadUnits        float64
		Queries                int
	}
	Skipped  []struct{ Partition, Index, Reason string }
	Rejected []struct {
		Strategy, Index, Reason string
		Estimate                *planEstimate
	}
	Text string
}

// plan explains a page, and fails unless its sums are those of its partitions
// and its tree tells the same.
func (s *service) plan(t *testing.T, arguments string) queryPlan {
	t.Helper()
	a := s.post(t, `{product(id:"42"){comments`+arguments+`{nodes{id} plan`+wholePlan+`}}}`, nil)
	if len(a.Errors) > 0 {
		t.Fatalf("%s: %+v", arguments, a.Errors)
	}
	var got struct {
		Product struct {
			Comments struct {
				Nodes []struct{ ID string }
				Plan  queryPlan
			}
		}
	}
	if err := json.Unmarshal(a.Data, &got); err != nil {
		t.Fatal(err)
	}
	p := got.Product.Comments.Plan
	units, queries, items := 0.0, 0, 0
	for _, part := range p.Partitions {
		units, queries, items = units+part.ActualReadUnits, queries+part.Queries, items+part.ActualItems
		if !strings.Contains(p.Text, " = "+part.Partition) {
			t.Errorf("%s: the tree lacks %s:\n%s", arguments, part.Partition, p.Text)
		}
	}
	if p.Actual.ReadUnits != units || p.Actual.Queries != queries || p.Actual.ItemsRead != items || p.Actual.ItemsShown != len(got.Product.Comments.Nodes) {
		t.Errorf("%s: the sums are not those of the partitions: %s", arguments, a.Data)
	}
	if said := fmt.Sprintf("actual: %.2f read units, ", units); units > 0 && !strings.Contains(p.Text, said) {
		t.Errorf("%s: the tree does not say %q:\n%s", arguments, said, p.Text)
	}
	if p.Reason == "" || !strings.Contains(p.Text, " on "+p.Index+": "+p.Reason+"\n") {
		t.Errorf("%s: %q is not the reason in\n%s", arguments, p.Reason, p.Text)
	}
	if a.Extensions.Cost.ReadUnits < units {
		t.Errorf("%s: the whole query cost %v units, the page alone %v", arguments, a.Extensions.Cost.ReadUnits, units)
	}
	return p
}

func (p queryPlan) partitions() (names []string) {
	for _, part := range p.Partitions {
		names = append(names, part.Role+" "+part.Index+" "+part.Partition)
	}
	return names
}

func wantPartitions(t *testing.T, p queryPlan, strategy string, want ...string) {
	t.Helper()
	if p.Strategy != strategy || !slices.Equal(p.partitions(), want) {
		t.Errorf("%s of %q, not %s of %q\n%s", p.Strategy, p.partitions(), strategy, want, p.Text)
	}
}

// A merge is what is left when the table has no statistics.
func TestPlansWithoutStatistics(t *testing.T) {
	s, _ := explaining(t)
	s.fill(t, comments(100)...)

	p := s.plan(t, "")
	wantPartitions(t, p, "SINGLE_PARTITION", "READ all PRODUCT#42")
	if one := p.Partitions[0]; one.Limit != 21 || one.Filter != nil || one.ActualItems != 21 || one.Queries != 1 || one.ActualReadUnits != p.Actual.ReadUnits || one.ActualReadUnits <= 0 {
		t.Errorf("%+v", one)
	}
	if p.Actual.RoundTrips != 1 || p.Actual.ItemsShown != 20 || len(p.Skipped)+len(p.Rejected) > 0 {
		t.Errorf("%+v", p)
	}

	p = s.plan(t, `(language:"en",ratings:[1,4,5],last:10)`)
	wantPartitions(t, p, "MERGE", "READ byLangAndRating PRODUCT#42/en/1", "READ byLangAndRating PRODUCT#42/en/4", "READ byLangAndRating PRODUCT#42/en/5")
	for _, part := range p.Partitions {
		if part.Queries < 1 || part.ActualItems < 1 || part.ActualReadUnits < 0.5 || part.EstimatedReadUnits < 0.5 || part.EstimatedItems <= 0 {
			t.Errorf("%+v", part)
		}
	}
	if p.Actual.ItemsShown != 10 || p.Actual.ItemsRead < 11 || p.Estimate.Queries < 3 || p.Estimate.RoundTrips < 1 {
		t.Errorf("%+v", p)
	}
	if len(p.Rejected) != 1 || p.Rejected[0].Strategy != "FILTERED_PARTITION" || p.Rejected[0].Index != "byLang" || p.Rejected[0].Estimate != nil || p.Rejected[0].Reason != "the sizes of the comments are not known" {
		t.Errorf("rejected: %+v", p.Rejected)
	}
}

// All comments of a small product are read at once and filtered; what the
// statistics know to be empty is not read at all.
func TestPlansOfASmallProduct(t *testing.T) {
	s, _ := explaining(t)
	s.fill(t, rated("42", "en", [5]int{0, 2, 1, 0, 6})...)
	s.project(t)

	p := s.plan(t, `(ratings:[1,2,5])`)
	wantPartitions(t, p, "FILTERED_PARTITION", "READ all PRODUCT#42", "FALLBACK byRating PRODUCT#42/2", "FALLBACK byRating PRODUCT#42/5")
	read, instead := p.Partitions[0], p.Partitions[1]
	if !slices.Equal(read.Filter, []int{1, 2, 5}) || read.ActualItems != 9 || read.Queries != 1 || instead.Filter != nil || instead.Queries != 0 || instead.ActualReadUnits != 0 {
		t.Errorf("%+v", p.Partitions)
	}
	if p.Actual.ItemsRead != 9 || p.Actual.ItemsShown != 8 || p.Actual.RoundTrips != 1 {
		t.Errorf("%+v", p.Actual)
	}
	if len(p.Skipped) != 1 || p.Skipped[0].Partition != "PRODUCT#42/1" || p.Skipped[0].Index != "byRating" || p.Skipped[0].Reason == "" {
		t.Errorf("skipped: %+v", p.Skipped)
	}
	if len(p.Rejected) != 1 || p.Rejected[0].Strategy != "MERGE" || p.Rejected[0].Estimate == nil || p.Rejected[0].Estimate.ReadUnits < p.Estimate.ReadUnits {
		t.Errorf("rejected: %+v", p.Rejected)
	}

	p = s.plan(t, `(language:"en",ratings:[1,4,5])`) // only one of them is left
	wantPartitions(t, p, "SINGLE_PARTITION", "READ byLangAndRating PRODUCT#42/en/5")
	if len(p.Skipped) != 2 || p.Actual.ItemsShown != 6 {
		t.Errorf("%+v", p)
	}

	p = s.plan(t, `(ratings:[1,4])`)
	wantPartitions(t, p, "NOTHING")
	if len(p.Skipped) != 2 || p.Actual.Queries != 0 || p.Estimate != (planEstimate{}) {
		t.Errorf("%+v", p)
	}
}

func TestPlanOfAPowerSet(t *testing.T) {
	s, _ := explaining(t)
	s.project(t)
	_, err := s.store.ChangeMeta(t.Context(), func(m *store.Meta) (bool, error) {
		m.PowerSets = map[string]store.PowerSet{"42": store.PowerSetReady}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	list := comments(60)
	for i := range list {
		list[i].Text = strings.Repeat(fmt.Sprint("long ", i), 100) // so that nothing else is as cheap
	}
	s.fill(t, list...)
	s.project(t)
	p := s.plan(t, `(language:"en",ratings:[1,4,5],first:5)`)
	wantPartitions(t, p, "POWER_SET", "READ table PRODUCT#42/en/25")
	if p.Index != "table" || p.Actual.Queries != 1 || p.Actual.ItemsShown != 5 || len(p.Rejected) != 2 {
		t.Errorf("%+v", p)
	}
}

// Plans show how the table is laid out, so they are for those who run it.
func TestPlansMustBeAllowed(t *testing.T) {
	s := serve(t)
	s.fill(t, comments(3)...)
	a := s.wantError(t, `{product(id:"42"){comments(first:1){nodes{commentId} plan{text}}}}`, "FORBIDDEN", "")
	if got := string(a.Data); got != `{"product":{"comments":{"nodes":[{"commentId":"c002"}],"plan":null}}}` {
		t.Errorf("%s", got)
	}
	if e := a.Errors[0]; fmt.Sprint(e.Path) != "[product comments plan]" || !strings.Contains(e.Message, "--explain") {
		t.Errorf("%+v", e)
	}
	s.want(t, `{__type(name:"QueryStrategy"){enumValues{name}}}`,
		`{"__type":{"enumValues":[{"name":"SINGLE_PARTITION"},{"name":"MERGE"},{"name":"FILTERED_PARTITION"},{"name":"POWER_SET"},{"name":"NOTHING"}]}}`)
}

// A plan is the page's own: the size of the page does not multiply what it
// costs to ask for it.
func TestPlansCostOncePerPage(t *testing.T) {
	s, _ := explaining(t)
	complexity := func(fields string) int {
		t.Helper()
		a := s.post(t, `{product(id:"42"){comments(first:100){`+fields+`}}}`, nil)
		if len(a.Errors) > 0 {
			t.Fatalf("%+v", a.Errors)
		}
		return a.Extensions.Cost.Complexity
	}
	if with, without := complexity("nodes{id} plan{text reason}"), complexity("nodes{id}"); with != without+3 {
		t.Errorf("%d with a plan of two fields, %d without", with, without)
	}
}

// Every operation that ran tells what it cost: no more and no less than what
// the table charged.
func TestCostOfOperations(t *testing.T) {
	s, table := explaining(t)
	list := comments(60)
	for i := range list {
		list[i].Rating = 1 + i%4 // none is rated 5
		if i%7 == 0 {
			list[i].Text = strings.Repeat("long ", store.InlineText)
		}
	}
	s.fill(t, list...)
	s.project(t)
	for _, c := range []struct {
		query      string
		complexity int
		roundTrips int // -1 if that depends on timing
		fails      bool
	}{
		{`{__typename}`, 1, 0, false},
		{`{product(id:"42"){productId}}`, 2, 0, false},
		{`{product(id:"42"){comments{nodes{commentId}}}}`, 61, 1, false},
		{`{product(id:"42"){comments(first:30){nodes{text}}}}`, 81, 2, false},                    // the page, and long texts
		{`{product(id:"42"){comments(ratings:[1,5],first:3){nodes{commentId}}}}`, 27, -1, false}, // and what planning wants to know
		{`{product(id:"42"){stats{totalCount} comments(ratings:[2,3],first:3){totalCount}}}`, 32, -1, false},
		{`{leaderboard{nodes{productId}}}`, 60, -1, false},
		{`{a:comment(id:"c001"){rating} b:comment(id:"none"){rating}}`, 12, -1, false},
		{`{product(id:"42"){comments(first:-1){nodes{commentId}}}}`, 21, 0, true},
		{`mutation{deleteComment(input:{id:"none"}){deletedId}}`, 21, -1, true},
	} {
		table.reset()
		a := s.post(t, c.query, nil)
		cost := a.Extensions.Cost
		if cost == nil || (len(a.Errors) > 0) != c.fails {
			t.Fatalf("%s: %+v, %+v", c.query, a.Extensions, a.Errors)
		}
		if cost.Complexity != c.complexity || cost.ReadUnits != table.units || cost.RoundTrips > table.calls || (c.roundTrips >= 0 && cost.RoundTrips != c.roundTrips) {
			t.Errorf("%s: %+v, want complexity %d, %v units, %d round trips of %d calls", c.query, *cost, c.complexity, table.units, c.roundTrips, table.calls)
		}
		if strings.Contains(c.query, "nodes{commentId}") && !c.fails && cost.ReadUnits == 0 {
			t.Errorf("%s: it read nothing", c.query)
		}
	}
}

// Where nothing ran, nothing was read.
func TestRefusedRequestsHaveNoCost(t *testing.T) {
	s := serve(t)
	for _, query := range []string{``, `{`, `{nothing}`, `{products(ids:[` + strings.Repeat(`"1",`, graph.MaxIDs) + `]){comments{nodes{id text}}}}`} {
		if a := s.post(t, query, nil); len(a.Errors) != 1 || a.Extensions.Cost != nil {
			t.Errorf("%.20s: %+v, %+v", query, a.Errors, a.Extensions)
		}
	}
}
