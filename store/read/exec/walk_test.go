package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
)

// tags are the languages of comments; there is no comment in the last one.
var tags = []string{"de", "en", "pt-BR", "fr"}

// drawFilter draws a set of ratings and one of languages.
func drawFilter(t *rapid.T) plan.Filter {
	f := plan.Filter{ProductID: "42", Ratings: key.Ratings(rapid.IntRange(0, 31).Draw(t, "ratings"))}
	var languages []string
	for i, tag := range tags {
		if rapid.IntRange(0, 31).Draw(t, "languages")>>i&1 == 1 {
			languages = append(languages, tag)
		}
	}
	if rapid.Bool().Draw(t, "by language") {
		f.Languages = key.LanguagesOf(languages...)
	}
	return f
}

// drawStatistics draws anything: right, of another time, or absurd, such as zeros where
// there are comments.
func drawStatistics(t *rapid.T, right plan.Known) plan.Known {
	switch rapid.IntRange(0, 2).Draw(t, "statistics") {
	case 0:
		return right
	case 1:
		return plan.Known{}
	default:
		numbers := rapid.OneOf(rapid.IntRange(0, 50), rapid.SampledFrom([]int{-1, 0, 1, 100, 1 << 20, 1 << 62, -1 << 63}))
		absurd := func() (c plan.Counts) {
			for i := range c.Tally {
				c.Tally[i], c.Bytes[i], c.Wanted[i] = numbers.Draw(t, "count"), numbers.Draw(t, "bytes"), numbers.Draw(t, "wanted")
			}
			c.Largest = numbers.Draw(t, "largest")
			return c
		}
		k := plan.Known{Counts: absurd(), Of: map[string]plan.Counts{}}
		for language := range right.Of {
			k.Of[language] = absurd()
		}
		return k
	}
}

// Reads random ranges of random comments with statistics of every kind: a page
// must equal a sort of the whole.
func TestPageEqualsSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFilter(t)
		f.WithText, f.VerifiedOnly = rapid.IntRange(0, 3).Draw(t, "with text") == 0, rapid.IntRange(0, 3).Draw(t, "verified only") == 0
		f.WithPhotos = rapid.IntRange(0, 3).Draw(t, "with photos") == 0
		f.Incentives = rapid.SampledFrom([]plan.Incentives{plan.AnyIncentive, plan.AnyIncentive, plan.WithIncentive, plan.WithoutIncentive}).Draw(t, "incentives")
		f.Order = plan.Order{Field: rapid.SampledFrom([]plan.Field{plan.ByTime, plan.ByTime, plan.ByRating}).Draw(t, "field"), Ascending: rapid.Bool().Draw(t, "ascending")}
		end := rapid.SampledFrom([]int{-1, -1, 0, 3, 6, 9, 12, 13})
		var created [2]time.Time
		for i := range created {
			if minute := end.Draw(t, "created"); minute >= 0 {
				created[i] = position(minute, "").CreatedAt
			}
		}
		f.Created = key.TimesOf(created[0], created[1])
		comments := make([]about, rapid.IntRange(0, 90).Draw(t, "comments"))
		for i := range comments {
			comments[i] = about{
				rating: rapid.SampledFrom([]int{1, 2, 3, 4, 5, 5, 5, 5}).Draw(t, "rating"), size: rapid.SampledFrom([]int{90, 250, 250, 250, 4000}).Draw(t, "size"),
				language: rapid.SampledFrom([]string{"de", "en", "en", "en", "pt-BR"}).Draw(t, "language"), which: stats.Which(rapid.IntRange(0, int(allDimensions)).Draw(t, "which")),
			}
		}
		p := newProduct(comments, func(i int) int { return i * 7 % 13 }) // many ties
		if rapid.Bool().Draw(t, "short batches") {
			p.short = func(limit int) int { return max(1, limit/2) }
		}
		w := list.Window[key.Position]{Limit: rapid.IntRange(0, 100).Draw(t, "limit"), Backward: rapid.Bool().Draw(t, "backward"), Ascending: f.Order.Ascending}
		if len(p.model) > 0 {
			end := rapid.Custom(func(t *rapid.T) *key.Position {
				at := p.model[rapid.IntRange(0, len(p.model)-1).Draw(t, "of")].Position
				at.Range = f.Order.RangeOf(p.about[at.CommentID].rating)
				return &at
			})
			if rapid.Bool().Draw(t, "has after") {
				w.After = end.Draw(t, "after")
			}
			if rapid.Bool().Draw(t, "has before") {
				w.Before = end.Draw(t, "before")
			}
		}
		r, limit, expect := w.Range(), w.Limit, p.inOrder(f, w)
		q := plan.Query{Filter: f, Known: drawStatistics(t, p.known(f)), Limit: limit, Backward: w.Backward}
		if w.After != nil {
			q.After = &w.After.Range
		}
		if w.Before != nil {
			q.Before = &w.Before.Range
		}
		chosen := plan.Choose(q)
		items, _, err := Page(context.Background(), chosen, r, Fetch[string](p.fetch))
		testkit.Must(t, err)
		more := len(items) > limit
		testkit.Need(t, more == (len(expect) > limit) && len(items) <= limit+1, "%v\n%d items of %d: whether more follow is wrong", chosen, len(items), len(expect))
		if got, want := shown(items[:min(limit, len(items))]), strings.Join(expect[:min(limit, len(expect))], " "); got != want {
			t.Fatalf("%v\ngot  %s\nwant %s", chosen, got, want)
		}
	})
}

// fromOne reports whether all items are of one partition of a plan.
func fromOne(p plan.Plan, items []Item[string]) bool {
	of := p.Root.(*plan.Either).Then
	for _, i := range items {
		if of.Partition(i.Language, i.Rating) != of.Partition(items[0].Language, items[0].Rating) {
			return false
		}
	}
	return true
}

// askedAgain reports whether a partition was read on after a filtered read.
func askedAgain(p plan.Plan) bool {
	return slices.ContainsFunc(p.Root.(*plan.Either).Then.Scans, func(s *plan.Scan) bool { return s.Actual.Queries > 1 })
}

// inCorner reports whether a page may cost half a unit more: all of it is of the only rating that has
// any left after a filtered read, and one more query, of one item, reports whether others follow. The
// literal version does not know.
func inCorner(chosen plan.Plan, page []Item[string]) bool {
	_, one := chosen.Root.(*plan.Either) // the plan of one product
	return one && askedAgain(chosen) && fromOne(chosen, page)
}

// drawHostile draws comments that mislead a planner: runs of one rating, of one
// language and of one size of any length, the rare one in one heap, long texts
// where they are thrown away.
func drawHostile(t *rapid.T) []about {
	var comments []about
	runs := rapid.IntRange(1, 12).Draw(t, "runs")
	sizes := rapid.SampledFrom([]int{75, 75, 150, 300, 600, 1500, 3900})
	usual := sizes.Draw(t, "usual size")
	for range runs {
		ratings := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 3).Draw(t, "ratings of the run")
		languages := rapid.SliceOfN(rapid.SampledFrom(tags[:3]), 1, 2).Draw(t, "languages of the run")
		size := usual
		if rapid.IntRange(0, 3).Draw(t, "another size") == 0 {
			size = sizes.Draw(t, "size")
		}
		for i := range rapid.SampledFrom([]int{1, 2, 5, 19, 20, 21, 22, 40, 90}).Draw(t, "length") {
			comments = append(comments, about{rating: ratings[i%len(ratings)], size: max(75, size-i%7), language: languages[i/2%len(languages)]})
		}
	}
	return comments
}

// walkPages is how many pages of a walk are added up.
const walkPages = 15

// No page costs more than two units above the literal version, wherever the
// comments are, as long as the statistics are right; and walks of 15 pages,
// through products that are made to mislead, are together no dearer.
func TestNoPageCostsTwoUnitsMore(t *testing.T) {
	strategies := map[plan.Strategy]int{}
	changed, corners := 0, 0
	walks, dearer, ours, literal, worst := 0, 0, 0.0, 0.0, 0.0
	check := func(t *rapid.T) {
		f := drawFilter(t)
		p := newProduct(drawHostile(t), func(i int) int { return i })
		limit := rapid.SampledFrom([]int{1, 2, 3, 5, 10, 20, 20, 20, 50, 100}).Draw(t, "limit")
		known := p.known(f)
		r := Range{Descending: rapid.Bool().Draw(t, "descending")}
		walked, other := 0.0, 0.0
		for page := 1; ; page++ {
			chosen := plan.Choose(plan.Query{Filter: f, Known: known, Limit: limit})
			items, cost, err := Page(context.Background(), chosen, r, Fetch[string](p.fetch))
			testkit.Must(t, err)
			theirs := p.literalUnits(f, r, limit)
			bound := theirs + 2
			if walked, other = walked+cost.Units, other+theirs; page == walkPages {
				walks, ours, literal, worst = walks+1, ours+walked, literal+other, max(worst, walked-other)
				if walked > other {
					dearer++
				}
			}
			if inCorner(chosen, items[:min(len(items), limit)]) {
				bound += 0.5
				corners++
			}
			testkit.Need(t, cost.Units <= bound, "%v\npage %d costs %g units, it may cost %g: %+v", chosen, page, cost.Units, bound, cost)
			strategies[chosen.Strategy]++
			if chosen.Changed() {
				changed++
			}
			if len(items) <= limit {
				return
			}
			end, _ := key.ParseSortKey(items[limit-1].SortKey)
			r.After = &end
		}
	}
	all := func() bool {
		return changed != 0 && strategies[plan.Single] != 0 && strategies[plan.Merged] != 0 && strategies[plan.Filtered] != 0
	}
	for tries := 0; tries == 0 || tries < 20 && !all() && !t.Failed(); tries++ { // few reads change to the partitions
		rapid.Check(t, check)
	}
	t.Logf("pages by strategy: %v; %d changed to partitions, %d needed a query more to know whether others follow", strategies, changed, corners)
	t.Logf("%d walks of %d pages took %.2f of the literal version's units; %d took more, %+.1f units at the most", walks, walkPages, ours/literal, dearer, worst)
	testkit.Check(t, ours <= literal, "%d walks took %.1f units, the literal version's %.1f", walks, ours, literal)
	for _, s := range []plan.Strategy{plan.Single, plan.Merged, plan.Filtered} {
		testkit.Check(t, strategies[s] != 0, "no page was read by %s", s)
	}
	testkit.Check(t, changed != 0, "no filtered read changed to the partitions")
}

// A filtered read that finds nothing changes to the partitions from where it
// stands, and reads nothing of the product twice.
func TestFilteredReadChanges(t *testing.T) {
	var comments []about
	for i := range 400 { // rating 2 is rare, but the newest 60 have nothing else
		rating := []int{5, 4, 5, 1}[i%4]
		if i >= 340 {
			rating = 2
		}
		comments = append(comments, about{rating: rating, size: 200, language: "en"})
	}
	p := newProduct(comments, func(i int) int { return i })
	f := plan.Filter{ProductID: "42", Ratings: ratings(1, 4, 5)}
	chosen := plan.Choose(plan.Query{Filter: f, Known: p.known(f), Limit: 20})
	testkit.Need(t, chosen.Strategy == plan.Filtered, "the plan is %v", chosen)
	var mu sync.Mutex
	var after []string
	fetch := func(ctx context.Context, q Request) (Batch[string], error) {
		at := "the start"
		if q.After != nil {
			at = q.After.CommentID
		}
		mu.Lock()
		defer mu.Unlock()
		after = append(after, q.Partition.Index.Name+" after "+at)
		return p.fetch(ctx, q)
	}
	items, cost, err := Page(t.Context(), chosen, Range{Descending: true}, Fetch[string](fetch))
	if err != nil || len(items) != 21 || items[0].Value != "c0339" {
		t.Fatalf("%d items, %v: %s", len(items), err, shown(items))
	}
	slices.Sort(after)
	tree := chosen.Root.(*plan.Either)
	filtered := tree.First.Actual // it reads on as long as that is safe
	stands := fmt.Sprintf("c%04d", 400-filtered.Items)
	want := []string{"byRating after " + stands, "byRating after " + stands, "byRating after " + stands}
	testkit.Check(t, slices.Equal(after[filtered.Queries:], want), "read %v, want %v at last", after, want)
	testkit.Check(t, filtered.Units <= 2 && cost.RoundTrips == filtered.Queries+1 && cost.Queries == filtered.Queries+3 && len(tree.Then.Scans) == 3 && chosen.Changed(), "cost %+v", cost)
}
