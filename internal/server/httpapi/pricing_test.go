package httpapi_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/attributes"
	"product-comments/store/settings/definitions"
)

// fullPage asks for all that a shop shows of a page of comments, with the controls of
// its filters.
func fullPage(product string, size int) string {
	return fmt.Sprintf(`{product(id:"%s"){id productId comments(first:%d){totalCount pageInfo{hasNextPage hasPreviousPage startCursor endCursor}
		facets{languageCounts{language count ratingCounts{rating count}} ratingCounts{rating count} withTextCount withoutTextCount verifiedCount unverifiedCount}
		edges{cursor node{id commentId product{id productId} rating language title text author state stateReason
			reply{text createdAt updatedAt} verifiedPurchase helpful helpfulCount unhelpfulCount viewerVote viewerHasReported heldBy rejectionCode
			attributes{definition{key label type position} value number date boolean choice{value label}}
			createdAt updatedAt version viewerCanUpdate viewerCanDelete viewerCanVote}}}}}`, product, size)
}

const plainPage = `{product(id:"%s"){comments{nodes{id rating title}}}}`

// shop fills a service with 200 comments of product 42, which have ten attributes each.
func (s *service) shop(t testing.TB) {
	t.Helper()
	var defined []attributes.Definition
	for i := range 10 {
		defined = append(defined, attributes.Definition{
			Key: fmt.Sprint("a", i), Type: attributes.Number, Shown: i < 8, Labels: []attributes.Label{{Language: "en", Text: fmt.Sprint("Attribute ", i)}},
		})
	}
	testkit.Value(s.Store.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: defined}))(t)
	list := apitest.Comments(200)
	for i := range list {
		list[i].Title, list[i].Author, list[i].Text = fmt.Sprint("What I think, part ", i), "Alice", strings.Repeat("It fits. ", 40)
		list[i].Attributes = []byte(`{` + strings.TrimSuffix(strings.TrimSpace(testkit.Each(10, `"a%d":4.5,`)), ",") + `}`)
	}
	s.Fill(t, list...)
	s.Project(t)
}

// budgets returns budgets a minute on a clock that stands still, also for this machine.
func budgets(cost, readUnits float64) func(*httpapi.Config) {
	return func(c *httpapi.Config) {
		c.Limits.CostBudget, c.Limits.ReadUnitBudget, c.Limits.Local = frozen(cost), frozen(readUnits), true
	}
}

// A page is charged by what it has read and made: the same request about a product
// without comments costs next to nothing, and a visitor can pay for many pages with all
// fields of 100 comments.
func TestPagesArePricedByWhatTheyRead(t *testing.T) {
	s := serve(t, budgets(60_000, 6_000))
	s.shop(t)
	for _, c := range []struct {
		name, query string
		least, most float64
	}{
		{"a plain page", fmt.Sprintf(plainPage, "42"), 10, 40},
		{"a plain page of nothing", fmt.Sprintf(plainPage, "none"), 1, 15},
		{"a page of 20 full cards", fullPage("42", 20), 200, 800},
		{"a page of 100 full cards", fullPage("42", 100), 1000, 4000},
		{"a full page of nothing", fullPage("none", 100), 5, 60},
	} {
		before := s.Post(t, `{__typename}`, nil).Extensions.Cost.Budget.Remaining
		a := s.Post(t, c.query, nil)
		if len(a.Errors) > 0 || a.Extensions.Cost == nil {
			t.Errorf("%s: %+v", c.name, a.Errors)
			continue
		}
		cost := *a.Extensions.Cost
		t.Logf("%s: complexity %d, %d bytes, %v read units, charged %v", c.name, cost.Complexity, len(a.Data), cost.ReadUnits, cost.Charge)
		if cost.Charge < c.least || cost.Charge > c.most || cost.Charge < 10*cost.ReadUnits {
			t.Errorf("%s is charged %v, want %v to %v, and what was read", c.name, cost.Charge, c.least, c.most)
		}
		paid := before - cost.Budget.Remaining
		testkit.Check(t, paid >= cost.Charge-2 && paid <= cost.Charge+2, "%s: %v are missing, it is charged %v", c.name, paid, cost.Charge)
	}
}

// The shop's own services ask as much as they like, from any address. Visitors and
// authors do not, and a token that is not valid is no service's.
func TestServicesHaveNoBudget(t *testing.T) {
	s := serve(t, budgets(100, 10))
	s.Fill(t, apitest.Comments(60)...)
	s.Project(t)
	limited := func(s *apitest.Service) (at int) {
		for at = range 50 {
			if a := s.Post(t, fmt.Sprintf(plainPage, "42"), nil); a.Status == http.StatusTooManyRequests {
				return at
			} else if a.Status != 200 || len(a.Errors) > 0 {
				t.Fatalf("%d %+v", a.Status, a.Errors)
			}
		}
		return -1
	}
	at := limited(s.As(apitest.Shop))
	testkit.Check(t, at < 0, "a service has to wait after %d pages", at)
	at = limited(s.As(apitest.Anonymous))
	testkit.Check(t, at >= 2, "a visitor has to wait after %d pages", at)
	at = limited(s.As(apitest.Alice))
	testkit.Check(t, at >= 2, "an author has to wait after %d pages", at)
	body := []byte(`{"query":"{__typename}"}`)
	token := apitest.Authorization(t, apitest.Shop)
	token[1] += "x"
	a := s.Send(t, http.MethodPost, "/graphql", body, append(token, "Content-Type", "application/json")...)
	testkit.Check(t, a.Status == http.StatusUnauthorized, "what is not a service's token: %d %s", a.Status, a.Data)
}

// Requests at the same time cannot spend one budget each: what each may come to is kept
// while it runs, and comes back.
func TestParallelRequestsShareABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := admission.NewBudget(120, func() time.Time { return time.Unix(0, 0) })
		table, letGo := waiting()
		h := handler(t, table, func(c *httpapi.Config) { c.Limits.CostBudget = l })
		done := make(chan int, 20)
		for range 20 {
			go func() { done <- post(visitor, page).to(h).Code }()
			synctest.Wait()
		}
		if got := l.Peek(visitor, 0).Remaining; got < 0 || got > 1 {
			t.Errorf("%v are left while requests run", got)
		}
		letGo()
		codes := map[int]int{}
		for range 20 {
			codes[<-done]++
		}
		if codes[200] != 4 || codes[429] != 16 { // 36 each, and the rest
			t.Errorf("%v", codes)
		}
		if got := l.Peek(visitor, 0).Remaining; got < 90 || got > 105 {
			t.Errorf("%v are left when all is done", got)
		}
	})
}

// panics is a writer that cannot send an answer.
type panics struct{}

func (panics) Header() http.Header       { return http.Header{} }
func (panics) WriteHeader(int)           { panic("a fault") }
func (panics) Write([]byte) (int, error) { panic("a fault") }

// Whatever ends a request, what was kept for it comes back but for what it has read.
func TestReservationsDoNotLeak(t *testing.T) {
	const dear = `{product(id:"42"){comments(first:100){nodes{id}}}}` // 222
	for _, c := range []struct {
		name   string
		change func(*httpapi.Config)
		hold   func(context.Context) error
		after  time.Duration // the client leaves
		writer http.ResponseWriter
	}{
		{name: "an answer"},
		{name: "an error", hold: func(context.Context) error { return http.ErrHandlerTimeout }},
		{name: "a resolver that panics", hold: panicking},
		{name: "a client that leaves", hold: untilLeft, after: time.Second},
		{name: "a request whose time is over", hold: untilLeft},
		{name: "no memory, and a handler that panics", change: func(c *httpapi.Config) {
			c.Limits.Answers = admission.NewPool(1000, 1000, 0, time.Millisecond)
			testkit.Value(c.Limits.Answers.Enter(t.Context(), "", 1000, false))(t)
		}, writer: panics{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := admission.NewBudget(1000, func() time.Time { return time.Unix(0, 0) })
				h := handler(t, &empty{hold: c.hold}, func(config *httpapi.Config) {
					config.Limits.CostBudget = l
					if c.change != nil {
						c.change(config)
					}
				})
				r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(post(visitor, dear).body))
				r.RemoteAddr = visitor + ":1234"
				r.Header.Set("Content-Type", "application/json")
				if c.after > 0 {
					ctx, cancel := context.WithTimeout(t.Context(), c.after)
					defer cancel()
					r = r.WithContext(ctx)
				}
				func() {
					defer func() { _ = recover() }()
					h.ServeHTTP(cmp.Or[http.ResponseWriter](c.writer, httptest.NewRecorder()), r)
				}()
				got := l.Peek(visitor, 0).Remaining
				testkit.Check(t, got >= 990 && got <= 999, "%v of 1000 are left", got)
			})
		})
	}
}

// A vote writes the item of its comment again, and is charged for all of it: on a long text it costs more than on a
// short one, as much as it wrote.
func TestVotesArePricedByWhatTheyWrite(t *testing.T) {
	s := serve(t, budgets(60_000, 6_000))
	charge := func(text string) float64 {
		t.Helper()
		made := s.As(apitest.Alice).Post(t, `mutation($text:String){createComment(input:{productId:"42",rating:4,language:"en",text:$text}){comment{id}}}`, map[string]any{"text": text})
		testkit.Need(t, len(made.Errors) == 0, "%+v", made.Errors)
		id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(string(made.Data))[1]
		a := s.As(apitest.Bob).Post(t, fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:HELPFUL}){comment{id}}}`, id), nil)
		testkit.Need(t, len(a.Errors) == 0 && a.Extensions.Cost != nil, "%+v", a.Errors)
		return a.Extensions.Cost.Charge - 10*a.Extensions.Cost.ReadUnits
	}
	short, long, emoji := charge(strings.Repeat("a", 500)), charge(strings.Repeat("a", 20_000)), charge(strings.Repeat("😀", 20_000))
	t.Logf("besides what they read, votes are charged %v, %v and %v", short, long, emoji)
	testkit.Check(t, short >= 200 && short < 240, "a short text: %v", short)
	testkit.Check(t, long >= 420 && long < 450 && emoji >= 1580 && emoji < 1650, "long texts: %v and %v", long, emoji)
}
