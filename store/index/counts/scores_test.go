package counts_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// scored is a test of the leaderboard by score, on a table in memory and in virtual time.
type scored struct {
	*testing.T
	db *double.DB
	s  *store.Store
}

func scoring(t *testing.T, o store.Options, test func(*scored)) {
	synctest.Test(t, func(t *testing.T) {
		db := double.New(double.Options{})
		x := &scored{t, db, store.New(db.Client("shop"), "comments", o)}
		testkit.Must(t, x.s.EnsureTable(t.Context(), true))
		test(x)
	})
}

// add creates comments with these ratings, and projects them.
func (x *scored) add(product string, ratings ...int) (ids []string) {
	x.Helper()
	for _, rating := range ratings {
		ids = append(ids, testkit.Value(x.s.Create(x.Context(), store.NewComment{ProductID: product, Rating: rating, Language: "en"}))(x).ID)
	}
	x.project()
	return ids
}

func (x *scored) project() {
	x.Helper()
	testkit.Value(storetest.ProjectOnce(x.Context(), x.db.Client("projector"), x.s.Projector()))(x)
}

func (x *scored) maintain() {
	x.Helper()
	storetest.Maintain(x, x.s.Projector())
}

// want compares the leaderboards by score with products and their scores, best first.
func (x *scored) want(ranks ...string) {
	x.Helper()
	for _, language := range []string{"", "en"} {
		page, err := x.s.Leaderboard(x.Context(), store.Board{ByScore: true, Language: language}, store.RankWindow{Limit: 100})
		testkit.Check(x, err == nil && slices.Equal(spelled(page), ranks), "by score in %q: got %v, %v, want %v", language, spelled(page), err, ranks)
	}
	storetest.Verified(x, x.s.Projector())
}

func spelled(page list.Page[key.Rank]) (ranks []string) {
	for _, r := range page.Items {
		ranks = append(ranks, fmt.Sprintf("%s %.3f", r.ProductID, float64(r.Number)/1e9))
	}
	return ranks
}

// A product is ranked with enough comments, by the average of its ratings and some of a
// middling product, and leaves when it has too few.
func TestScoresFollowTheComments(t *testing.T) {
	scoring(t, store.Options{PlaceAge: -1}, func(x *scored) {
		x.add("few", 5, 5, 5, 5)
		x.want()
		best := x.add("best", 5, 5, 5, 5, 5)
		x.add("many", slices.Repeat([]int{4}, 30)...)
		x.add("worst", 1, 1, 1, 1, 1)
		x.want("best 4.000", "many 3.875", "worst 2.667")
		x.add("many", slices.Repeat([]int{5}, 30)...)
		x.want("many 4.357", "best 4.000", "worst 2.667")
		testkit.Value(x.s.Update(x.Context(), store.Change{ID: best[0], Rating: new(1)}))(x)
		x.project()
		x.want("many 4.357", "best 3.733", "worst 2.667")
		testkit.Value(x.s.Delete(x.Context(), best[0], nil))(x)
		x.project()
		x.want("many 4.357", "worst 2.667")
	})
}

// A score is written as rarely as other places: once a minute, and at once when a product
// leaves the list.
func TestScoresAreWrittenOnceAMinute(t *testing.T) {
	scoring(t, store.Options{PlaceAge: time.Minute}, func(x *scored) {
		ids := x.add("42", 3, 3, 3, 3, 3)
		x.want("42 3.333")
		x.add("42", 4)
		x.want("42 3.333")
		time.Sleep(time.Minute)
		x.want("42 3.333")
		x.maintain()
		x.want("42 3.375")
		x.add("42", 4, 4)
		x.want("42 3.375")
		for _, id := range ids[:4] {
			testkit.Value(x.s.Delete(x.Context(), id, nil))(x)
		}
		x.project()
		x.want()
		x.add("42", 5)
		x.want()
		time.Sleep(time.Minute)
		x.maintain()
		x.want("42 3.667")

		x.add("42", 5)
		time.Sleep(12 * time.Minute)
		found := testkit.Value(verify.Run(x.Context(), x.s.Projector(), verify.Options{}))(x)
		testkit.Check(x, len(found.Differences) == 4, "a score that was not written for long: %+v", found)
		x.maintain()
		x.want("42 3.750")
	})
}

// A product that no leaderboard by score lists costs nothing for it.
func TestScoresCostNothingWithoutAnEntry(t *testing.T) {
	for least, items := range map[int]int{5: 2, 4: 4} {
		scoring(t, store.Options{PlaceAge: -1}, func(x *scored) {
			testkit.Must(x, x.s.SetScoring(x.Context(), settings.Scoring{Least: least}, store.ScoringOptions{}))
			x.add("42", 1, 2, 3, 4)
			n := 0
			for _, it := range x.db.Items() {
				if table.Text(it, key.PK) == key.Product("42") {
					n++
					_, notes := it["score"]
					testkit.Equal(x, notes, items == 4 && table.Text(it, key.GSISK) == "", "%v notes a score", it)
				}
			}
			testkit.Equal(x, n, items, "items of the product")
		})
	}
}

// Another scoring ranks all products again, also products without new comments. Until all
// are ranked there is no list by score, for a server that knew the scoring before neither.
func TestAnotherScoring(t *testing.T) {
	scoring(t, store.Options{PlaceAge: time.Hour}, func(x *scored) {
		x.add("best", 5, 5, 5, 5, 5)
		x.add("few", 4, 4)
		x.add("many", slices.Repeat([]int{4}, 30)...)
		x.want("best 4.000", "many 3.875")
		reader := store.New(x.db.Client("reader"), "comments", store.Options{})
		read := func() ([]string, error) {
			page, err := reader.Leaderboard(x.Context(), store.Board{ByScore: true}, store.RankWindow{Limit: 9})
			return spelled(page), err
		}
		set := func(to settings.Scoring) <-chan error {
			ended := make(chan error, 1)
			go func() { ended <- x.s.SetScoring(x.Context(), to, store.ScoringOptions{}) }()
			return ended
		}
		watch := func(ended <-chan error, before, after []string) (unavailable int) {
			for {
				got, err := read()
				switch {
				case errs.CodeOf(err) == errs.Unavailable:
					unavailable++
				case err != nil || !slices.Equal(got, before) && !slices.Equal(got, after):
					x.Errorf("read %q, %v", got, err)
				}
				select {
				case err := <-ended:
					testkit.Must(x, err)
					return unavailable
				case <-time.After(100 * time.Millisecond):
				}
			}
		}
		first, second := []string{"best 4.000", "many 3.875"}, []string{"best 4.833", "many 4.000", "few 4.000"}
		testkit.Check(x, watch(set(settings.Scoring{Mean: 4000, Weight: 1, Least: 2}), first, second) > 0, "it was always there")
		time.Sleep(5 * time.Second)
		x.want(second...)
		testkit.Equal(x, watch(set(settings.Scoring{Mean: 4000, Weight: 1, Least: 2}), second, second), 0, "the same again made it unavailable")

		// One that was stopped, and one that another overtakes.
		ctx, cancel := context.WithTimeout(x.Context(), 20*time.Second)
		err := x.s.SetScoring(ctx, settings.Scoring{Least: 3}, store.ScoringOptions{})
		cancel()
		testkit.Check(x, err != nil, "it was stopped")
		time.Sleep(time.Minute)
		_, err = read()
		testkit.Check(x, errs.CodeOf(err) == errs.Unavailable, "half-way: %v", err)
		overtaken := set(settings.Scoring{Least: 3})
		time.Sleep(time.Second)
		testkit.Must(x, <-set(settings.Scoring{Mean: 1000, Weight: 5, Least: 6}))
		testkit.Check(x, errs.CodeOf(<-overtaken) == errs.Conflict, "the one that was overtaken")
		time.Sleep(5 * time.Second)
		x.want("many 3.571")
		testkit.Must(x, <-set(settings.Scoring{})) // which changes nothing
		x.want("many 3.571")
	})
}

// A table without settings, made by hand, has no leaderboard by score until a rebuild, which ranks
// all products, those whose score stays the same, too.
func TestARebuildRanksByScore(t *testing.T) {
	scoring(t, store.Options{PlaceAge: time.Hour}, func(x *scored) {
		x.add("42", 5, 5, 5, 5, 5)
		x.add("43", 3, 3, 3, 3, 3)
		_, err := x.s.Settings().Change(x.Context(), func(now *settings.Settings) (bool, error) {
			now.Scorings, now.Ranked = 0, 0
			return true, nil
		})
		testkit.Must(x, err)
		for _, ready := range []bool{false, true, true} {
			time.Sleep(5 * time.Second)
			if _, err := x.s.Leaderboard(x.Context(), store.Board{ByScore: true}, store.RankWindow{Limit: 9}); (err == nil) != ready || !ready && errs.CodeOf(err) != errs.Unavailable {
				x.Errorf("ready %t: %v", ready, err)
			}
			x.rebuild()
			time.Sleep(5 * time.Second)
			x.want("42 4.000", "43 3.333")
		}
	})
}

func (x *scored) rebuild() {
	x.Helper()
	c := stream.New(x.db.Client("rebuild"), x.s.Projector(), stream.Options{Poll: 10 * time.Second}) // so all touches are counted at once
	ctx, cancel := context.WithCancel(x.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	defer running.Wait()
	defer cancel()
	testkit.Must(x, c.Rebuild(ctx, stream.RebuildOptions{}))
}
