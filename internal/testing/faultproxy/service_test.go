package faultproxy_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/faultproxy"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/simulation/faults"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// leastSteps is what each visitor does, however busy the machine is. Where no call was struck by
// then, as of one index that few pages read, visitors go on until one is, for mostSteps at most.
const (
	leastSteps = 10
	mostSteps  = 1000
)

// share of the calls that go wrong.
const share = 0.3

// troubles are what goes wrong, by name.
var troubles = map[string]faultproxy.Rule{
	"throttled":     {Rates: faults.Rates{Throttled: share}},
	"internal":      {Rates: faults.Rates{Internal: share}},
	"unreachable":   {Rates: faults.Rates{Unreachable: share}},
	"lost":          {Rates: faults.Rates{Lost: share}},
	"slow":          {Rates: faults.Rates{Latency: time.Second / 4}},
	"everything":    {Rates: faults.Rates{Throttled: share / 5, Internal: share / 5, Unreachable: share / 5, Lost: share / 5, Latency: time.Second / 20}},
	"one index":     {Rates: faults.Rates{Throttled: 0.9}, Index: key.ByLang.Name},
	"one operation": {Rates: faults.Rates{Lost: 0.6}, Operation: "PutItem"},
}

// Whatever goes wrong between the service and the store: a page is whole and right
// or an error, nothing that was acknowledged is lost, nothing is there twice, and
// the statistics match the comments in the end.
func TestTheServiceUnderFaults(t *testing.T) {
	var lasts time.Duration // for leastSteps at least
	if testkit.All(t) {
		lasts = 700 * time.Millisecond
	}
	if s := os.Getenv("SOAK_TIME"); s != "" {
		lasts = testkit.Value(time.ParseDuration(s))(t)
	}
	seed := testkit.Seed(t)
	for name, rule := range troubles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop := open(t, seed)
			shop.run(rule, lasts)
			shop.settle()
			testkit.Check(t, shop.proxy.Struck() != 0, "no fault struck one of %d calls", shop.proxy.Calls())
			if !t.Failed() {
				t.Logf("%d of %d calls struck; %d writes and %d pages, UNAVAILABLE %d times; all as it should be",
					shop.proxy.Struck(), shop.proxy.Calls(), shop.writes.Load(), shop.pages.Load(), shop.refused.Load())
			}
		})
	}
}

// Bounds of what a client waits for.
const (
	callTimeout    = 2 * time.Second
	requestTimeout = 5 * time.Second
	slack          = 5 * time.Second // of a machine that is busy with other tests
)

// shop is the service behind a proxy, its visitors, and what they know.
type shop struct {
	*testing.T
	seed    uint64
	proxy   *faultproxy.Proxy
	store   *store.Store
	service *apitest.Service
	streams *dynamodbstreams.Client

	visitors               [3]map[string]store.Comment // comments by id; each has a product of its own
	writes, pages, refused atomic.Int64
}

func open(t *testing.T, seed uint64) *shop {
	t.Helper()
	s := &shop{T: t, seed: seed, proxy: faultproxy.Start(t, storetest.Endpoint(t), seed)}
	budget := table.NewBudget(nil)
	client := storetest.Remote(t, func(o *dynamodb.Options) {
		o.BaseEndpoint, o.Retryer = aws.String(s.proxy.Endpoint()), budget.Retryer()
	})
	s.store = store.New(client, storetest.TableName(t), store.Options{Budget: budget, CallTimeout: callTimeout, PlaceAge: -1})
	testkit.Must(t, s.store.EnsureTable(t.Context(), true))
	s.streams = storetest.RemoteStreams(t, func(o *dynamodbstreams.Options) {
		o.BaseEndpoint, o.Retryer = aws.String(s.proxy.Endpoint()), table.NewBudget(nil).Retryer()
	})
	s.service = apitest.Serve(t, func(c *httpapi.Config) { c.Store, c.Limits.Timeout = s.store, requestTimeout })
	for i := range s.visitors {
		s.visitors[i] = map[string]store.Comment{}
	}
	return s
}

// run lets visitors and a projector work while things go wrong, until every change
// that they began is settled.
func (s *shop) run(rule faultproxy.Rule, lasts time.Duration) {
	ctx, stop := context.WithTimeout(s.Context(), lasts)
	defer stop()
	projecting, end := context.WithCancel(s.Context())
	var running, projector sync.WaitGroup
	projector.Go(func() {
		_ = stream.New(s.streams, s.store.Projector(), stream.Options{Poll: 20 * time.Millisecond}).Run(projecting)
	})
	s.proxy.Set(rule)
	for i := range s.visitors {
		dice := rand.New(rand.NewPCG(s.seed, uint64(i)))
		running.Go(func() {
			goesOn := func(steps int) bool {
				return ctx.Err() == nil || steps < leastSteps || steps < mostSteps && s.proxy.Struck() == 0
			}
			for steps := 0; goesOn(steps) && !s.Failed(); steps++ {
				s.step(dice, i)
			}
		})
	}
	running.Wait()
	s.proxy.Set(faultproxy.Rule{})
	end()
	projector.Wait()
}

func product(visitor int) string { return fmt.Sprintf("p%d", visitor) }

// step is something that a visitor does.
func (s *shop) step(dice *rand.Rand, visitor int) {
	mine := s.visitors[visitor]
	var some store.Comment
	for _, id := range slices.Sorted(maps.Keys(mine)) { // any, but the same for the same dice
		if some = mine[id]; dice.IntN(4) == 0 {
			break
		}
	}
	rating := 1 + dice.IntN(5)
	switch action := dice.IntN(10); {
	case action < 4 || some.ID == "":
		s.create(visitor, store.NewComment{ProductID: product(visitor), Language: []string{"en", "de"}[dice.IntN(2)], Rating: rating, IdempotencyKey: fmt.Sprint(dice.Uint64())})
	case action < 6:
		s.update(visitor, some, rating)
	case action < 7:
		s.remove(visitor, some.ID)
	default:
		s.walk(visitor, dice)
	}
}

// insist repeats what a client would repeat, until it is answered.
func (s *shop) insist(what string, try func() error) {
	deadline := time.Now().Add(time.Minute)
	for {
		began := time.Now()
		err := try()
		testkit.Check(s, time.Since(began) <= requestTimeout+slack, "%s took %s", what, time.Since(began))
		if errs.CodeOf(err) != errs.Unavailable {
			testkit.Check(s, err == nil, "%s: %v", what, err)
			return
		}
		s.refused.Add(1)
		var coded *errs.Error
		testkit.Check(s, errors.As(err, &coded) && coded.RetryAfter > 0, "%s: UNAVAILABLE without a time: %v", what, err)
		if time.Now().After(deadline) {
			s.Errorf("%s: it is never answered: %v", what, err)
			return
		}
		time.Sleep(20 * time.Millisecond) // less than Retry-After says, since the test is short
	}
}

func (s *shop) create(visitor int, n store.NewComment) {
	var made store.Comment
	s.insist("create", func() (err error) {
		made, err = s.store.Create(s.Context(), n)
		return err
	})
	_, twice := s.visitors[visitor][made.ID]
	testkit.Check(s, !twice, "comment %s was made twice", made.ID)
	s.visitors[visitor][made.ID] = made
	s.writes.Add(1)
}

// update changes a rating. While it is not known whether that took effect, the
// comment is unchanged or as it should be. It is asked for until it is acknowledged:
// a try that was given up may still be on its way, and all of them say the same.
func (s *shop) update(visitor int, c store.Comment, rating int) {
	s.insist("update", func() error {
		changed, err := s.store.Update(s.Context(), store.Change{ID: c.ID, Rating: &rating})
		if err == nil {
			s.visitors[visitor][c.ID] = changed
			return nil
		}
		now, readErr := s.store.Get(s.Context(), c.ID)
		switch {
		case readErr != nil:
		case now == nil:
			s.Errorf("comment %s is lost", c.ID)
		case now.Rating != c.Rating && now.Rating != rating:
			s.Errorf("comment %s was rated %d, should become %d, and has %d", c.ID, c.Rating, rating, now.Rating)
		}
		return err
	})
	s.writes.Add(1)
}

func (s *shop) remove(visitor int, id string) {
	tries := 0
	s.insist("delete", func() error {
		tries++
		_, err := s.store.Delete(s.Context(), id, nil)
		if errs.CodeOf(err) == errs.NotFound && tries > 1 {
			return nil // an earlier try took effect
		}
		return err
	})
	delete(s.visitors[visitor], id)
	s.writes.Add(1)
}

// walk pages through the visitor's product with some filter, and compares.
func (s *shop) walk(visitor int, dice *rand.Rand) {
	language, ratings := []string{"", "en", "de"}[dice.IntN(3)], []int{}
	for r := 1; r <= 5; r++ {
		if dice.IntN(2) == 0 {
			ratings = append(ratings, r)
		}
	}
	s.compare(visitor, language, ratings, 1+dice.IntN(7), 4)
}

// compare reads so many pages and holds them against what the visitor knows.
func (s *shop) compare(visitor int, language string, ratings []int, first, pages int) {
	var want []store.Comment
	for _, c := range s.visitors[visitor] {
		if (language == "" || c.Language == language) && (len(ratings) == 0 || slices.Contains(ratings, c.Rating)) {
			want = append(want, c)
		}
	}
	slices.SortFunc(want, func(a, b store.Comment) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	var after *string
	for range pages {
		var got page
		s.insist("page", func() (err error) {
			got, err = s.page(map[string]any{"product": product(visitor), "language": nilIfEmpty(language), "ratings": ratings, "first": first, "after": after})
			return err
		})
		s.pages.Add(1)
		n := min(first, len(want))
		for i := range n {
			if i >= len(got.Nodes) || got.Nodes[i].CommentID != want[i].ID || got.Nodes[i].Rating != want[i].Rating {
				stored, err := s.store.Get(s.Context(), want[i].ID)
				s.Errorf("a page of %s, %q %v, first %d: got %+v, want %d comments, of them %+v, which is stored as %+v, %v", product(visitor), language, ratings, first, got, n, want[i], stored, err)
				return
			}
		}
		want = want[n:]
		if len(got.Nodes) != n || got.PageInfo.HasNextPage != (len(want) > 0) {
			s.Errorf("a page has %d comments, next %v; want %d, next %v", len(got.Nodes), got.PageInfo.HasNextPage, n, len(want) > 0)
			return
		}
		if after = got.PageInfo.EndCursor; len(want) == 0 {
			return
		}
	}
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type page struct {
	Nodes []struct {
		CommentID string
		Rating    int
	}
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
	TotalCount *int
}

// page asks the API. An answer with an error must have no page at all.
func (s *shop) page(variables map[string]any) (page, error) {
	return s.ask(`query($product: ID!, $language: String, $ratings: [Int!], $first: Int, $after: String) { product(id: $product) {
		comments(language: $language, ratings: $ratings, first: $first, after: $after) { nodes { commentId rating } pageInfo { hasNextPage endCursor } } } }`, variables)
}

func (s *shop) ask(query string, variables map[string]any) (page, error) {
	a := s.service.Post(s.T, query, variables)
	var data *struct{ Product *struct{ Comments *page } }
	if a.Status != http.StatusOK || json.Unmarshal(a.Data, &data) != nil {
		return page{}, fmt.Errorf("status %d, %s, %+v", a.Status, a.Data, a.Errors)
	}
	whole := data != nil && data.Product != nil && data.Product.Comments != nil
	if len(a.Errors) == 0 && whole {
		return *data.Product.Comments, nil
	}
	for _, e := range a.Errors {
		if e.Extensions["code"] != string(errs.Unavailable) {
			return page{}, fmt.Errorf("%+v", a.Errors)
		}
	}
	if len(a.Errors) == 0 || whole && data.Product.Comments.Nodes != nil {
		return page{}, fmt.Errorf("a part of a page: %s, %+v", a.Data, a.Errors)
	}
	refusal := errs.Errorf(errs.Unavailable, "%s", a.Errors[0].Message)
	seconds, _ := a.Errors[0].Extensions["retryAfter"].(float64)
	refusal.RetryAfter = time.Duration(seconds) * time.Second
	return page{}, refusal
}

// settle compares everything when nothing goes wrong any more.
func (s *shop) settle() {
	if s.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	consumer := stream.New(s.streams, s.store.Projector(), stream.Options{Poll: 10 * time.Millisecond})
	var running sync.WaitGroup
	projecting, end := context.WithCancel(ctx)
	running.Go(func() { _ = consumer.Run(projecting) })
	if err := consumer.Wait(ctx); err != nil {
		s.Errorf("the projector does not catch up: %v", err)
	}
	end()
	running.Wait()
	comments := 0
	for i, mine := range s.visitors {
		comments += len(mine)
		s.compare(i, "", nil, 50, 1000)
		got, err := s.ask(`query($product: ID!) { product(id: $product) { comments(first: 0) { totalCount nodes { commentId } } } }`, map[string]any{"product": product(i)})
		if err != nil || got.TotalCount == nil || *got.TotalCount != len(mine) {
			s.Errorf("product %s has %d comments and counts %+v, %v", product(i), len(mine), got.TotalCount, err)
		}
	}
	verified, err := verify.Run(ctx, s.store.Projector(), verify.Options{Patience: 10 * time.Second})
	if err != nil || len(verified.Differences) > 0 || verified.Comments != int64(comments) {
		s.Errorf("there should be %d comments: %+v, %v", comments, verified, err)
	}
	meta, err := s.store.Settings().Read(ctx)
	if err != nil || meta.State != settings.StateKept || meta.Generation != 0 {
		s.Errorf("the statistics were lost on the way: %+v, %v", meta, err)
	}
}
