package answer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/graph/model"
	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
)

// resolvers resolve products with statistics of so many languages.
type resolvers struct {
	graph.ResolverRoot
	languages int
	found     func() // called when products are
	read      atomic.Int32
}

type query struct {
	graph.QueryResolver
	of *resolvers
}

type product struct {
	graph.ProductResolver
	of *resolvers
}

func (r *resolvers) Query() graph.QueryResolver     { return query{of: r} }
func (r *resolvers) Product() graph.ProductResolver { return product{of: r} }

func (r query) Products(_ context.Context, ids []string) ([]model.Product, error) {
	if r.of.found != nil {
		r.of.found()
	}
	return make([]model.Product, len(ids)), nil
}

func (r product) Stats(context.Context, *model.Product, *string, *bool) (*model.ProductStats, error) {
	r.of.read.Add(1)
	s := stats.Statistics{Languages: map[string]int{}}
	for i := range r.of.languages {
		s.Languages[fmt.Sprint(i)] = 1
	}
	return &model.ProductStats{Statistics: s}, nil
}

// execute runs a query within limits.
func execute(ctx context.Context, r *resolvers, l answer.Limits, query string) (*graphql.Response, *answer.Meter) {
	exec := executor.New(graph.NewExecutableSchema(graph.Config{Resolvers: r}))
	exec.AroundFields(answer.InterceptField)
	ctx, made := answer.WithMeter(graphql.StartOperationTrace(ctx), l)
	op, problems := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
	if len(problems) > 0 {
		panic(problems)
	}
	responses, ctx := exec.DispatchOperation(ctx, op)
	return responses(ctx), made
}

func products(n int, selected string) string {
	return `{products(ids:[` + strings.Repeat(`"1" `, n) + `]){` + selected + `}}`
}

// An item takes three steps and one for each field of it. What is beyond the limit is
// not resolved, and has no errors of its own.
func TestStepsAreCounted(t *testing.T) {
	for _, c := range []struct {
		query       string
		steps, most int64
		read        int32
	}{
		{products(2, `id`), 2 * (3 + 1), 8, 0},
		{products(2, `id __typename`), 2 * (3 + 2), 9, 0},
		{products(1, `stats{languageCounts{language count}}`), 1*(3+1) + 1 + 10*(3+2), 56, 1}, // and one for 256 bytes of the answer
		{products(1, `stats{languageCounts{language count}}`), 1*(3+1) + 1 + 10*(3+2), 54, 1},
		{products(100, `stats{totalCount}`), 100 * (3 + 1), 399, 0},
		{products(100, `stats{a:languageCounts{language} b:languageCounts{language}}`), -1, 700, 100},
	} {
		r := &resolvers{languages: 10}
		response, made := execute(t.Context(), r, answer.Limits{Bytes: 1 << 20, Steps: c.most}, c.query)
		if c.steps >= 0 && made.Steps() != c.steps {
			t.Errorf("%.80s takes %d steps, not %d", c.query, made.Steps(), c.steps)
		}
		stopped := errs.CodeOf(made.Exceeded()) == errs.BadUserInput
		testkit.Check(t, stopped == (c.steps < 0 || c.steps > c.most), "%.80s: %v", c.query, made.Exceeded())
		testkit.Check(t, len(response.Errors) == 0 && r.read.Load() <= c.read, "%.80s: %d were read, %v", c.query, r.read.Load(), response.Errors)
	}
}

// Names of types are part of the answer.
func TestNamesOfTypesAreCounted(t *testing.T) {
	_, made := execute(t.Context(), &resolvers{}, answer.Limits{Bytes: 1000, Steps: 1 << 20}, products(100, `a:__typename b:__typename`))
	testkit.Check(t, made.Exceeded() != nil, "they are not")
}

// Nothing is resolved any more when the request's time is over.
func TestNothingIsResolvedAfterTheDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &resolvers{languages: 10, found: cancel}
	response, _ := execute(ctx, r, answer.Limits{Bytes: 1 << 20, Steps: 1 << 20}, products(100, `stats{totalCount}`))
	testkit.Check(t, r.read.Load() == 0 && len(response.Errors) != 0, "%d were read, %v", r.read.Load(), response.Errors)
}

// Memory is kept for what an answer takes before it is taken, and where there is none
// the answer stops.
func TestMemoryIsKeptForSteps(t *testing.T) {
	const languages = 1000 // 5,000 steps for each of three products
	for _, room := range []int{0, 1, 2} {
		kept := 0
		l := answer.Limits{Bytes: 1 << 20, Steps: 1 << 20, Keep: func() error {
			if kept == room {
				return errors.New("there is no room")
			}
			kept++
			return nil
		}}
		response, made := execute(t.Context(), &resolvers{languages: languages}, l, products(3, `stats{languageCounts{language count}}`))
		full := made.OutOfMemory() != nil
		testkit.Check(t, full == (room < 2) && kept == room && len(response.Errors) == 0, "room for %d: kept %d times, %v, %v", room, kept, made.OutOfMemory(), response.Errors)
		most := int64(3*(3+1) + 3 + 3*languages*5)
		testkit.Check(t, made.Steps() <= most, "room for %d: %d steps, not %d at the most", room, made.Steps(), most)
	}
}
