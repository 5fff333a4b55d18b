package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/stream"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// shop is the comments of several products in memory.
type shop map[string]store.Comment

// change makes one random change, in the store and in the model.
func (m shop) change(t testing.TB, r *rand.Rand, s *store.Store) {
	t.Helper()
	products := []string{"1", "2", "3/en", "4"}
	languages := []string{"en", "de", "pt-BR"}
	fresh := func(id string) store.Comment {
		bought := r.IntN(2) == 0
		return store.Comment{
			ID: id, ProductID: products[r.IntN(len(products))], Rating: 1 + r.IntN(5), Language: languages[r.IntN(len(languages))],
			CreatedAt: time.Date(2026, 1, 1+r.IntN(300), 0, 0, 0, 0, time.UTC), Text: []string{"", "some", "more"}[r.IntN(3)], VerifiedPurchase: &bought,
		}
	}
	existing := slices.Sorted(maps.Keys(m))
	pick := func() string { return existing[r.IntN(len(existing))] }
	action := r.IntN(10)
	if len(existing) == 0 {
		action = 0
	}
	var err error
	switch {
	case action < 3:
		n := fresh("")
		var made store.Comment
		made, err = s.Create(t.Context(), store.NewComment{ProductID: n.ProductID, Rating: n.Rating, Language: n.Language, Text: n.Text})
		m[made.ID] = made
	case action < 5:
		var list []store.Comment
		for range 1 + r.IntN(20) {
			id := fmt.Sprintf("i%d", r.IntN(60))
			if !slices.ContainsFunc(list, func(c store.Comment) bool { return c.ID == id }) {
				list = append(list, fresh(id))
			}
		}
		_, err = s.Import(t.Context(), list)
		for _, c := range list {
			m[c.ID] = c
		}
	case action < 8:
		rating, language, text := 1+r.IntN(5), languages[r.IntN(len(languages))], []string{"", "some", "more"}[r.IntN(3)]
		ch := store.Change{ID: pick(), Rating: &rating}
		if r.IntN(2) == 0 {
			ch.Language, ch.Text = &language, &text
		}
		m[ch.ID], err = s.Update(t.Context(), ch)
	default:
		id := pick()
		_, err = s.Delete(t.Context(), id, nil)
		delete(m, id)
	}
	testkit.Must(t, err)
}

// check compares every statistic, the total of every filter and every
// leaderboard with the model.
func (m shop) check(t testing.TB, s *store.Store) {
	t.Helper()
	want := map[stats.Scope]*stats.Statistics{}
	for _, product := range []string{"1", "2", "3/en", "4"} {
		for _, language := range []string{"", "en", "de", "pt-BR", "fr"} {
			want[stats.Scope{ProductID: product, Language: language}] = &stats.Statistics{}
		}
	}
	for _, c := range m {
		for _, language := range []string{"", c.Language} {
			w := want[stats.Scope{ProductID: c.ProductID, Language: language}]
			w.Tally[c.Rating-1]++
			if language == "" {
				if w.Languages == nil {
					w.Languages = map[string]int{}
				}
				w.Languages[c.Language]++
				if w.Details == nil {
					w.Details = map[string]stats.Detail{}
				}
				d := w.Details[c.Language]
				d.Kinds[stats.KindOf(c.Rating, stats.Which(0).With(stats.Text, c.Text != "").With(stats.Verified, c.IsVerified()))]++
				w.Details[c.Language] = d
			}
		}
	}
	scopes := slices.Collect(maps.Keys(want))
	got := testkit.Value(s.Statistics(t.Context(), scopes))(t)
	for i, scope := range scopes {
		testkit.Check(t, got[i].Tally == want[scope].Tally && maps.Equal(got[i].Languages, want[scope].Languages), "%+v: got %+v, want %+v", scope, got[i], *want[scope])
		for language, d := range want[scope].Details {
			got := got[i].Details[language]
			testkit.Check(t, got.Kinds == d.Kinds, "%+v in %s: got %+v, want %+v", scope, language, got, d)
		}
		testkit.Equal(t, len(got[i].Details), len(want[scope].Details), "%+v has details of", scope)
		for mask := range key.AllRatings + 1 {
			n := 0
			for _, c := range m {
				if c.ProductID == scope.ProductID && (scope.Language == "" || c.Language == scope.Language) && mask.Has(c.Rating) {
					n++
				}
			}
			testkit.Equal(t, got[i].Count(mask), n, "%+v ratings %s", scope, mask)
		}
	}
	for _, language := range []string{"", "en", "de", "pt-BR", "fr"} {
		for _, byScore := range []bool{false, true} {
			var order []key.Rank
			for scope, w := range want {
				number := w.Tally[4]
				if average, _ := w.Tally.Average(); byScore && w.Tally.Total() >= 5 {
					number = ranking.Score(3500, 10, w.Tally.Total(), int(math.Round(average*float64(w.Tally.Total()))))
				} else if byScore {
					number = 0
				}
				if scope.Language == language && number > 0 {
					order = append(order, key.Rank{Number: number, ProductID: scope.ProductID})
				}
			}
			slices.SortFunc(order, func(a, b key.Rank) int {
				return cmp.Or(cmp.Compare(b.Number, a.Number), cmp.Compare(b.ProductID, a.ProductID))
			})
			board := testkit.Value(s.Leaderboard(t.Context(), store.Board{Language: language, ByScore: byScore}, store.RankWindow{Limit: 10}))(t)
			testkit.Check(t, slices.Equal(board.Items, order), "leaderboard %q, by score %t: got %v, want %v", language, byScore, board.Items, order)
		}
	}
}

// A random history of creates, edits, deletes and imports: after the projector has caught
// up, all numbers match the comments, and so are filtered pages at any time.
func TestStatisticsEqualTheModel(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	s, _ := newStore(t)
	m := shop{}
	project(t, s)
	for range 12 {
		for range 1 + r.IntN(30) {
			m.change(t, r, s)
		}
		for range 10 { // also pages that the projector knows nothing of yet
			f := randomFilter(r, []string{"1", "2", "3/en", "4"}[r.IntN(4)])
			all, _, refused := walkPlaces(t, s, f, 1+r.IntN(9), r.IntN(2) == 0)
			want := m.of(f.ProductID).filter(f)
			testkit.Need(t, !refused && ids(all) == ids(want), "%+v, refused %t\ngot  %s\nwant %s", f, refused, ids(all), ids(want))
		}
		project(t, s)
		m.check(t, s)
	}
	verified(t, s, m)
	m.removed(t, s)
}

// A random history of creates, edits, deletes and imports: whatever is switched on or off,
// was damaged and is rebuilt in the meantime, all numbers, copies and pages agree with the
// comments when the projector has caught up.
func TestDerivedEqualsTheModel(t *testing.T) { inMemory(t, derivedEqualsTheModel) }

func derivedEqualsTheModel(t *testing.T) {
	r := testkit.Random(t)
	var c clock
	s := quick(t, &c)
	m := shop{}
	project(t, s)
	for range 30 {
		m.change(t, r, s)
	}
	project(t, s)
	m.check(t, s)
	while := func(do func(*stream.Consumer) error) {
		t.Helper()
		consumer, stop := storetest.Consume(t, s.Projector(), stream.Options{})
		done := make(chan error, 1)
		go func() { done <- do(consumer) }()
		for range 25 {
			m.change(t, r, s)
		}
		testkit.Must(t, <-done)
		becomeKept(t, s)
		stop()
		project(t, s)
		c.advance(time.Minute) // this server reads its own writes from the indexes first
		m.check(t, s)
		verified(t, s, m)
	}
	rebuild := func(c *stream.Consumer) error { return c.Rebuild(t.Context(), stream.RebuildOptions{}) }

	while(func(*stream.Consumer) error { return s.PowerSets().Enable(t.Context(), "1", nil) })
	m.pages(t, s, "1", true)
	if n, want := copies(t, s), 32*len(m.of("1")); n != want {
		t.Errorf("%d copies, want %d", n, want)
	}

	// Something is wrong, however it came to be: a rebuild mends it.
	many := table.N(99)
	damage(t, s, table.Write{Key: statisticsOf("1", ""), Update: "SET count_2 = :many", Values: table.Item{":many": many}})
	damage(t, s, table.Write{Put: table.Item{
		key.PK: table.S("PRODUCT#ghost"), key.SK: table.S("S"), "count_5": many, "count_total": many, "rev": many,
		key.GSIPK: table.S("LEADERS"), key.GSISK: table.S("000000000099#ghost"),
	}})
	found := fmt.Sprint(differences(t, s))
	testkit.Check(t, strings.Contains(found, `product "1"`) && strings.Contains(found, `product "ghost"`), "found %s", found)
	while(rebuild)
	m.pages(t, s, "1", true)

	while(func(*stream.Consumer) error { return s.PowerSets().Disable(t.Context(), "1", nil) })
	m.pages(t, s, "1", false)
	testkit.Equal(t, copies(t, s), 0, "copies are left")

	// The table as one of before: nothing says what its statistics are worth.
	damage(t, s, table.Write{Key: table.Key("META#statistics"), Delete: true})
	arn, err := s.Projector().Table().StreamARN(t.Context())
	testkit.Must(t, err)
	meta, err := s.Projector().Prepare(t.Context(), arn)
	testkit.Need(t, err == nil && meta.State == settings.StateBroken, "%+v, %v", meta, err)
	while(func(*stream.Consumer) error { return nil }) // the consumer rebuilds by itself

	m.removed(t, s)
}

// removed removes all comments: counts go with the last one, the names of its writes stay
// for a while.
func (m shop) removed(t testing.TB, s *store.Store) {
	t.Helper()
	for id := range m {
		remove(t, s, id)
	}
	project(t, s)
	clear(m)
	m.check(t, s)
	left := statisticsItems(t, s)
	testkit.Check(t, len(left) == 0, "left without comments: %v", left)
}

// of returns the comments of a product, newest first.
func (m shop) of(product string) (list model) {
	for _, c := range m {
		if c.ProductID == product {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, newestFirst)
	return list
}

// project brings what is derived up to date, as a projector does.
func project(t testing.TB, s *store.Store) {
	t.Helper()
	storetest.Project(t, s.Projector())
}

// statisticsItems returns the sort keys of all statistics items of the table, but for
// the ones that count nothing and expire.
func statisticsItems(t testing.TB, s *store.Store) []string {
	t.Helper()
	var found []string
	eachItem(t, s.Table(), func(it table.Item) {
		total := testkit.Value(table.Number(it, "count_total"))(t)
		expires := it["count_total"] != nil && total == 0 && it["expires"] != nil
		if sk := table.Text(it, key.SK); strings.HasPrefix(sk, "S") && !expires {
			found = append(found, partitionOf(it)+" "+sk)
		}
	})
	return found
}

// becomeKept waits until the statistics are kept.
func becomeKept(t testing.TB, s *store.Store) settings.Settings {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		now, err := s.Settings().Read(ctx)
		testkit.Must(t, err)
		if now.State == settings.StateKept {
			return now
		}
		testkit.Need(t, table.Sleep(ctx, 5*time.Millisecond) == nil, "they are still %s", now.State)
	}
}

// Until a rebuild has ended, no reader sees half of it. An interrupted rebuild is resumed,
// and two at once do not disturb each other.
func TestRebuildIsResumed(t *testing.T) { inMemory(t, rebuildIsResumed) }

func rebuildIsResumed(t *testing.T) {
	var c clock
	s := quick(t, &c)
	r := testkit.Random(t)
	m := shop{}
	for range 30 {
		m.change(t, r, s)
	}
	project(t, s)
	m.check(t, s)
	first, stop := storetest.Consume(t, s.Projector(), stream.Options{})
	ctx, interrupt := context.WithCancel(t.Context())
	err := first.Rebuild(ctx, stream.RebuildOptions{Progress: func(string, int64) { interrupt() }})
	testkit.Need(t, errors.Is(err, context.Canceled), "%v", err)
	stop()
	wantCode(t, testkit.Err(s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})), "UNAVAILABLE")
	m.change(t, r, s)
	second, _ := storetest.Consume(t, s.Projector(), stream.Options{})
	err = second.Rebuild(t.Context(), stream.RebuildOptions{})
	testkit.Need(t, errors.Is(err, stream.ErrOtherRebuild), "the first one ended a moment ago: %v", err)
	c.advance(2 * time.Minute) // now it is given up, and the consumer takes it up again
	becomeKept(t, s)
	project(t, s)
	m.check(t, s)
	verified(t, s, m)
	meta, err := s.Settings().Read(t.Context())
	testkit.Check(t, err == nil && meta.Generation == 1, "%+v, %v", meta, err)
}

// When a rebuild ends the leaderboard is as the counts are, although a place is written
// but once a minute otherwise.
func TestARebuildEndsWithTheLeaderboard(t *testing.T) { inMemory(t, rebuildEndsWithTheLeaderboard) }

func rebuildEndsWithTheLeaderboard(t *testing.T) {
	api := &storetest.Calls{API: storetest.Client(t)}
	s := openStore(t, api, storetest.TableName(t), store.Options{MetaAge: 20 * time.Millisecond, CallTimeout: 2 * time.Second})
	counted := func(ctx context.Context) error {
		for {
			it, err := s.Projector().Table().Get(ctx, "the statistics", table.KeyOf(key.Product("42"), key.StatisticsSK("")))
			if err != nil {
				return err
			}
			if n, err := table.Number(it, item.AttrGeneration); err != nil || n > 0 {
				return err
			}
			if err := table.Sleep(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
	}
	var touched atomic.Bool // one comment is, and the others when that one was counted
	api.Do = func(ctx context.Context, in any, call storetest.Call) error {
		if update, ok := in.(*dynamodb.UpdateItemInput); ok && strings.HasPrefix(*update.UpdateExpression, "SET gen = ") && touched.Swap(true) {
			ctx = context.WithoutCancel(ctx) // what is projected in a rebuild waits longer than a call may take
			if err := counted(ctx); err != nil {
				return err
			}
		}
		_, err := call(ctx)
		return err
	}
	var all []store.Comment
	for i, id := range []string{"1", "2", "3"} {
		c := saying(id, i)
		c.Rating = 5
		all = append(all, c)
	}
	importAll(t, s, all)
	project(t, s) // so the rebuild alone touches comments
	consumer, stop := storetest.Consume(t, s.Projector(), stream.Options{Poll: 5 * time.Millisecond})
	defer stop()
	testkit.Must(t, consumer.Rebuild(t.Context(), stream.RebuildOptions{}))
	fresh := storeOn(t, storetest.Client(t), s.Table())
	for _, language := range []string{"", "en"} {
		board, err := fresh.Leaderboard(t.Context(), store.Board{Language: language}, store.RankWindow{Limit: 10})
		testkit.Check(t, err == nil && len(board.Items) == 1 && board.Items[0].Number == 3, "the leaderboard of %q is %+v, %v", language, board, err)
	}
}
