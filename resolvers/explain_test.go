package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// explaining serves with plans. The store that serves is not the one that the test
// writes with, so it has nothing in memory.
func explaining(t testing.TB) *service {
	t.Helper()
	return serve(t, func(c *httpapi.Config) {
		c.Rules.Plans = true
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{})
	})
}

const wholePlan = `{strategy index reason estimate{readUnits queries roundTrips discarded} actual{readUnits queries roundTrips itemsRead itemsShown}
	partitions{partition index role limit ratings estimatedItems estimatedReadUnits actualItems actualReadUnits queries}
	rejected{strategy index reason estimate{readUnits}} text lines}`

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
		Partition, Index, Role             string
		Limit                              int
		Ratings                            []int
		EstimatedItems, EstimatedReadUnits float64
		ActualItems                        int
		ActualReadUnits                    float64
		Queries                            int
	}
	Rejected []struct {
		Strategy, Index, Reason string
		Estimate                *planEstimate
	}
	Text  string
	Lines []string
}

// plan queries a page with its plan. It fails unless the plan's sums are the sums over its
// partitions and the tree in its text shows the same.
func (s *service) plan(t *testing.T, arguments string) queryPlan {
	t.Helper()
	a := s.Post(t, `{product(id:"42"){comments`+arguments+`{nodes{id} plan`+wholePlan+`}}}`, nil)
	testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
	var got struct {
		Product struct {
			Comments struct {
				Nodes []struct{ ID string }
				Plan  queryPlan
			}
		}
	}
	testkit.Must(t, json.Unmarshal(a.Data, &got))
	p := got.Product.Comments.Plan
	units, queries, items := 0.0, 0, 0
	for _, part := range p.Partitions {
		units, queries, items = units+part.ActualReadUnits, queries+part.Queries, items+part.ActualItems
		testkit.Check(t, strings.Contains(p.Text, " = "+part.Partition), "%s: the tree lacks %s:\n%s", arguments, part.Partition, p.Text)
	}
	if p.Actual.ReadUnits != units || p.Actual.Queries != queries || p.Actual.ItemsRead != items ||
		p.Actual.ItemsShown != len(got.Product.Comments.Nodes) {
		t.Errorf("%s: the sums differ from the partitions: %s", arguments, a.Data)
	}
	said := fmt.Sprintf("actual: %.2f read units, ", units)
	testkit.Check(t, units <= 0 || strings.Contains(p.Text, said), "%s: the tree does not say %q:\n%s", arguments, said, p.Text)
	testkit.Check(t, p.Reason != "" && strings.Contains(p.Text, " on "+p.Index+": "+p.Reason+"\n"), "%s: %q is not the reason in\n%s", arguments, p.Reason, p.Text)
	testkit.Equal(t, strings.Join(p.Lines, "\n")+"\n", p.Text, "%s: the lines %q and the text", arguments, p.Lines)
	testkit.Check(t, a.Extensions.Cost.ReadUnits >= units, "%s: the whole query cost %v units, the page alone %v", arguments, a.Extensions.Cost.ReadUnits, units)
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
	testkit.Check(t, p.Strategy == strategy && slices.Equal(p.partitions(), want), "%s of %q, not %s of %q\n%s", p.Strategy, p.partitions(), strategy, want, p.Text)
}

// Without statistics a filter by several ratings can only be answered by a merge.
func TestPlansWithoutStatistics(t *testing.T) {
	s := explaining(t)
	s.Fill(t, apitest.Comments(100)...)

	p := s.plan(t, "")
	wantPartitions(t, p, "SINGLE_PARTITION", "READ all PRODUCT#42")
	one := p.Partitions[0]
	testkit.Check(t, one.Limit == 21 && one.Ratings == nil && one.ActualItems == 21 && one.Queries == 1 && one.ActualReadUnits == p.Actual.ReadUnits && one.ActualReadUnits > 0, "%+v", one)
	testkit.Check(t, p.Actual.RoundTrips == 1 && p.Actual.ItemsShown == 20 && len(p.Rejected) == 0, "%+v", p)

	p = s.plan(t, `(language:"en",ratings:[1,4,5],last:10)`)
	wantPartitions(t, p, "MERGE", "READ byLangAndRating PRODUCT#42/en/1", "READ byLangAndRating PRODUCT#42/en/4",
		"READ byLangAndRating PRODUCT#42/en/5")
	for _, part := range p.Partitions {
		testkit.Check(t, part.Queries >= 1 && part.ActualItems >= 1 && part.ActualReadUnits >= 0.5 && part.EstimatedReadUnits >= 0.5 && part.EstimatedItems > 0, "%+v", part)
	}
	testkit.Check(t, p.Actual.ItemsShown == 10 && p.Actual.ItemsRead >= 11 && p.Estimate.Queries >= 3 && p.Estimate.RoundTrips >= 1, "%+v", p)
	if len(p.Rejected) != 1 || p.Rejected[0].Strategy != "FILTERED_PARTITION" || p.Rejected[0].Index != "byLang" ||
		p.Rejected[0].Estimate != nil || p.Rejected[0].Reason != "the sizes of the comments are not known" {
		t.Errorf("rejected: %+v", p.Rejected)
	}
}

// All comments of a small product are read at once and filtered, also where the
// statistics count none that is wanted.
func TestPlansOfASmallProduct(t *testing.T) {
	s := explaining(t)
	s.Fill(t, apitest.Rated("42", "en", [5]int{0, 2, 1, 0, 6})...)
	s.Project(t)

	p := s.plan(t, `(ratings:[1,2,5])`)
	wantPartitions(t, p, "FILTERED_PARTITION", "READ all PRODUCT#42", "FALLBACK byRating PRODUCT#42/1", "FALLBACK byRating PRODUCT#42/2",
		"FALLBACK byRating PRODUCT#42/5")
	read, instead := p.Partitions[0], p.Partitions[1]
	if !slices.Equal(read.Ratings, []int{1, 2, 5}) || read.ActualItems != 9 || read.Queries != 1 || instead.Ratings != nil ||
		instead.Queries != 0 || instead.ActualReadUnits != 0 {
		t.Errorf("%+v", p.Partitions)
	}
	testkit.Check(t, p.Actual.ItemsRead == 9 && p.Actual.ItemsShown == 8 && p.Actual.RoundTrips == 1, "%+v", p.Actual)
	if len(p.Rejected) != 1 || p.Rejected[0].Strategy != "MERGE" || p.Rejected[0].Estimate == nil ||
		p.Rejected[0].Estimate.ReadUnits < p.Estimate.ReadUnits {
		t.Errorf("rejected: %+v", p.Rejected)
	}

	p = s.plan(t, `(ratings:[1,4])`)
	wantPartitions(t, p, "FILTERED_PARTITION", "READ all PRODUCT#42", "FALLBACK byRating PRODUCT#42/1", "FALLBACK byRating PRODUCT#42/4")
	testkit.Check(t, p.Actual.Queries == 1 && p.Actual.ReadUnits == 0.5 && p.Actual.ItemsShown == 0, "%+v", p)
}

// Plans show the table's layout, so clients get them only with --explain.
func TestPlansMustBeAllowed(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
	a := s.WantError(t, `{product(id:"42"){comments(first:1){nodes{commentId} plan{text}}}}`, "FORBIDDEN", "")
	testkit.Equal(t, string(a.Data), `{"product":{"comments":{"nodes":[{"commentId":"c002"}],"plan":null}}}`, "string(a.Data)")
	e := a.Errors[0]
	testkit.Check(t, fmt.Sprint(e.Path) == "[product comments plan]" && !strings.Contains(e.Message, "--"), "%+v", e)
}

// A page has one plan, so the size of the page does not multiply the plan's cost.
func TestPlansCostOncePerPage(t *testing.T) {
	s := explaining(t)
	complexity := func(fields string) int {
		t.Helper()
		a := s.Post(t, `{product(id:"42"){comments(first:100){`+fields+`}}}`, nil)
		testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
		return a.Extensions.Cost.Complexity
	}
	if with, without := complexity("nodes{id} plan{text reason}"), complexity("nodes{id}"); with != without+3 {
		t.Errorf("%d with a plan of two fields, %d without", with, without)
	}
}
