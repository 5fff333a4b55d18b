package demo

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// bestseller is the product with most of the comments.
const bestseller = "42"

// The time of the demo is in the past, so that no comment is of tomorrow.
var (
	firstDay = time.Date(2023, time.October, 2, 0, 0, 0, 0, time.UTC)
	tomorrow = time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)
)

// Comments are valid, by product, newest first, and none is of tomorrow.
func TestCommentsAreInOrder(t *testing.T) {
	byProduct, ids := map[string]int{}, map[string]bool{}
	var last store.Comment
	for _, c := range Comments() {
		testkit.Check(t, !ids[c.ID], "%s is there twice", c.ID)
		ids[c.ID] = true
		byProduct[c.ProductID]++
		testkit.Check(t, c.ProductID != last.ProductID || !c.CreatedAt.After(last.CreatedAt), "%s is newer than the one before it", c.ID)
		last = c
		testkit.Check(t, !c.CreatedAt.Before(firstDay) && c.CreatedAt.Before(tomorrow), "%s is of %s", c.ID, c.CreatedAt)
	}
	have := slices.Sorted(maps.Keys(byProduct))
	testkit.Check(t, slices.Equal(have, slices.Sorted(slices.Values(products))), "the comments are about %v, not about %v", have, products)
	testkit.Check(t, byProduct[bestseller] == 6000 && byProduct["1"] == 1, "the products have %v comments", byProduct)
}

func TestMain(m *testing.M) { storetest.Main(m) }

func newStore(t *testing.T) *store.Store {
	t.Helper()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, st.EnsureTable(t.Context(), true))
	return st
}

// all are the demo comments, read once.
var all = sync.OnceValue(Comments)

// has tells how many comments of product 42 a table holds, up to 100.
func has(t *testing.T, st *store.Store) int {
	t.Helper()
	page := testkit.Value(st.Page(t.Context(), plan.Filter{ProductID: bestseller}, store.Window{Limit: 100}))(t)
	return len(page.Items)
}

func TestLoad(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	stopped, cancel := context.WithCancel(ctx)
	err := load(stopped, st, nil, logger, func() []store.Comment { return all()[:60] }, cancel)
	testkit.Need(t, errors.Is(err, context.Canceled), "got %v", err)
	state, err := st.Settings().Note(ctx, mark)
	testkit.Need(t, err == nil && state == loading, "state %q, %v", state, err)
	// There are comments, and it is completed all the same.
	for range 2 {
		testkit.Must(t, load(ctx, st, nil, logger, func() []store.Comment { return all()[:60] }, func() {}))
	}
	got := has(t, st)
	testkit.Check(t, got == 60, "%d comments", got)
	got = strings.Count(log.String(), "loaded the demo comments")
	testkit.Check(t, got == 1, "loaded %d times:\n%s", got, &log)
	// What was deleted since stays deleted.
	for _, c := range all()[:60] {
		testkit.Value(st.Delete(ctx, c.ID, nil))(t)
	}
	if err := load(ctx, st, nil, logger, func() []store.Comment { t.Error("the comments are read again"); return nil }, nil); err != nil || has(t, st) != 0 {
		t.Errorf("%d comments, %v", has(t, st), err)
	}
}

func TestLoadOnlyIntoAnEmptyTable(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	c := store.Comment{ID: "1", ProductID: "mine", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0)}
	testkit.Value(st.Import(ctx, []store.Comment{c}))(t)
	var log bytes.Buffer
	testkit.Must(t, Load(ctx, st, nil, slog.New(slog.NewTextHandler(&log, nil)), nil))
	testkit.Check(t, has(t, st) == 0 && strings.Contains(log.String(), "has comments, so the demo comments are not loaded"), "log: %s", &log)
}

func TestLoadUnavailable(t *testing.T) {
	st := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Load(ctx, st, nil, slog.New(slog.DiscardHandler), nil)
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable && strings.Contains(err.Error(), "the next start continues"), "got %v", err)
}

// When there is a page to look at, it is what it will be when all is loaded.
func TestTheFirstPageComesFirst(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	page := func() string {
		p := testkit.Value(st.Page(ctx, plan.Filter{ProductID: bestseller}, store.Window{Limit: 20}))(t)
		var ids []string
		for _, c := range p.Items {
			ids = append(ids, c.ID)
		}
		return strings.Join(ids, " ")
	}
	early := ""
	testkit.Must(t, load(ctx, st, nil, slog.New(slog.DiscardHandler), func() []store.Comment { return all()[:1500] }, func() { early = page() }))
	late := page()
	testkit.Check(t, early == late && strings.Count(early, " ") == 19, "early %s\nlate  %s", early, late)
}

// Every order of the bestseller goes with every filter, and no page costs more than one of
// a product of its size may. The table is in memory, where thousands of queries are soon
// answered. The fast run has a fifth of the comments, and for each order and filter one
// rating, or any.
func TestEveryOrderGoesWithEveryFilter(t *testing.T) {
	ctx, client := t.Context(), double.New(double.Options{}).Client("demo")
	st := store.New(client, "comments", store.Options{})
	testkit.Must(t, st.EnsureTable(ctx, true))
	project := func() { testkit.Value(storetest.ProjectOnce(ctx, client, st.Projector()))(t) }
	project()
	bestsellers := slices.DeleteFunc(Comments(), func(c store.Comment) bool { return c.ProductID != bestseller })
	most := 128.0
	if !testkit.All(t) {
		bestsellers, most = bestsellers[:1200], 40
	}
	testkit.Must(t, load(ctx, st, nil, slog.New(slog.DiscardHandler), func() []store.Comment { return bestsellers }, func() {}))
	project()
	testkit.Must(t, st.AttributeIndex().Backfill().Finish(ctx, bestseller, true, nil))
	project()

	orders := []plan.Order{{Field: plan.ByRating}, {Field: plan.ByHelpful}}
	for _, attribute := range []string{"comfort", "colour", "litres", "bought", "use"} {
		orders = append(orders, plan.Order{Field: plan.ByAttribute, Attribute: attribute})
	}
	equals := func(attribute, value string) plan.AttributeFilter {
		return plan.AttributeFilter{Key: attribute, Equals: []string{value}}
	}
	from := func(attribute, least string) plan.AttributeFilter {
		return plan.AttributeFilter{Key: attribute, Min: &least}
	}
	for n, given := range [][]plan.AttributeFilter{
		{equals("comfort", "1")}, {from("comfort", "4")}, {equals("colour", "mustard")}, {equals("litres", "30")}, {from("bought", "2025-01-01")}, {equals("use", "work")},
		{equals("litres", "25"), from("bought", "2024-06-01")}, {equals("use", "travel"), from("litres", "20")}, {equals("colour", "black"), equals("comfort", "2")},
	} {
		attributes := testkit.Value(st.Lists().Filters(ctx, plan.Filter{ProductID: bestseller}, "attributes", given))(t)
		for i := range len(orders) * 2 * 6 {
			if !testkit.All(t) && i%6 != (n+i/6)%6 {
				continue
			}
			order, rating := orders[i/12], i%6 // 0 for any
			order.Ascending = i/6%2 == 1
			f := plan.Filter{ProductID: bestseller, Order: order, Attributes: attributes}
			if rating > 0 {
				f.Ratings, _ = key.RatingsOf(rating)
			}
			page, err := st.Page(ctx, f, store.Window{Limit: 20})
			testkit.Check(t, err == nil && page.Cost.Units <= most, "%s, rating %d, %s: %.1f read units, %v", order, rating, attributes, page.Cost.Units, err)
		}
	}
}
