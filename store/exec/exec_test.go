package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/store/key"
	"product-comments/store/plan"
)

// table answers requests from memory the way DynamoDB does: limits, exclusive
// start keys, and a LastEvaluatedKey whenever the limit was reached. short
// makes it return fewer items than asked for, as DynamoDB may at 1 MB.
type table struct {
	partitions map[string][]key.Position // ascending
	short      func(limit int) int
}

func (m table) fetch(_ context.Context, q Request) (Batch[string], error) {
	var b Batch[string]
	all := slices.Clone(m.partitions[q.Partition.Value])
	if q.Descending {
		slices.Reverse(all)
	}
	limit := q.Limit
	if m.short != nil {
		limit = m.short(limit)
	}
	after := func(a, b key.Position) bool { c := a.Compare(b); return c != 0 && (c < 0) == q.Descending }
	for _, p := range all {
		if q.After != nil && !after(p, *q.After) {
			continue
		}
		if q.Until != nil && !after(*q.Until, p) {
			break
		}
		if len(b.Items) == limit {
			break
		}
		b.Items = append(b.Items, Item[string]{p.SortKey(), p.CommentID})
		if len(b.Items) == limit {
			b.Next = &p
		}
	}
	if limit == 0 {
		b.Next = q.After
	}
	b.Units = 0.5
	return b, nil
}

func position(minute int, id string) key.Position {
	return key.Position{CreatedAt: time.Unix(int64(minute)*60, 0).UTC(), CommentID: id}
}

func shown(items []Item[string]) string {
	var ids []string
	for _, i := range items {
		ids = append(ids, i.Value)
	}
	return strings.Join(ids, " ")
}

func ratings(list ...int) key.Ratings {
	set, err := key.RatingsOf(list...)
	if err != nil {
		panic(err)
	}
	return set
}

func TestMergeRefillsOnlyWhatRanDry(t *testing.T) {
	m := table{partitions: map[string][]key.Position{}}
	for i := range 40 { // all of the newest comments are rated 5
		m.partitions["PRODUCT#42/5"] = append(m.partitions["PRODUCT#42/5"], position(1000+i, fmt.Sprintf("five%02d", i)))
		m.partitions["PRODUCT#42/1"] = append(m.partitions["PRODUCT#42/1"], position(i, fmt.Sprintf("one%02d", i)))
	}
	var asked []string
	fetch := func(ctx context.Context, q Request) (Batch[string], error) {
		if q.After != nil {
			asked = append(asked, fmt.Sprintf("%s after %s", q.Partition.Value, q.After.CommentID))
		}
		return m.fetch(ctx, q)
	}
	p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(1, 5)}, Items: 20})
	items, cost, err := Page(t.Context(), p, Range{Descending: true}, 20, fetch)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 20 || items[0].Value != "five39" || items[19].Value != "five20" {
		t.Errorf("got %s", shown(items))
	}
	if want := []string{"PRODUCT#42/5 after five28"}; !slices.Equal(asked, want) {
		t.Errorf("read on %v, want %v", asked, want)
	}
	if cost.Queries != 3 || cost.RoundTrips != 2 || cost.Units != 1.5 {
		t.Errorf("cost %+v", cost)
	}
}

// A comment whose rating changes between two queries shows up in both partitions.
func TestOneItemInTwoPartitionsIsShownOnce(t *testing.T) {
	moved := position(5, "moved")
	m := table{partitions: map[string][]key.Position{
		"PRODUCT#42/1": {position(1, "a"), moved},
		"PRODUCT#42/2": {position(2, "b"), moved, position(9, "c")},
	}}
	p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(1, 2)}, Items: 10})
	items, _, err := Page(t.Context(), p, Range{Descending: true}, 10, m.fetch)
	if got := shown(items); err != nil || got != "c moved b a" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestOneFailedPartitionFailsThePage(t *testing.T) {
	broken := errors.New("throttled")
	m := table{partitions: map[string][]key.Position{"PRODUCT#42/1": {position(1, "a")}}}
	fetch := func(ctx context.Context, q Request) (Batch[string], error) {
		if q.Partition.Value == "PRODUCT#42/2" {
			return Batch[string]{}, broken
		}
		return m.fetch(ctx, q)
	}
	p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(1, 2)}, Items: 10})
	items, _, err := Page(t.Context(), p, Range{}, 10, fetch)
	if !errors.Is(err, broken) || items != nil {
		t.Errorf("got %v, %v", items, err)
	}
}

// Deals one set of comments at random over the partitions and reads random
// ranges of it: the merge must equal a sort of the whole.
func TestMergeEqualsSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var chosen []int
		for r := 1; r <= 5; r++ {
			if rapid.Bool().Draw(t, fmt.Sprintf("rating %d chosen", r)) {
				chosen = append(chosen, r)
			}
		}
		f := plan.Filter{ProductID: "42", Ratings: ratings(chosen...)}
		m := table{partitions: map[string][]key.Position{}}
		var model []key.Position
		n := rapid.IntRange(0, 60).Draw(t, "comments")
		for i := range n {
			at := position(rapid.IntRange(0, 12).Draw(t, "minute"), fmt.Sprintf("c%02d", i)) // many ties
			rating := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 5, 5, 5}).Draw(t, "rating")     // skewed
			for _, p := range []key.Partition{key.PartitionAll("42"), key.PartitionByRating("42", rating)} {
				m.partitions[p.Value] = append(m.partitions[p.Value], at)
			}
			if f.Ratings.Has(rating) {
				model = append(model, at)
			}
		}
		for _, list := range m.partitions {
			slices.SortFunc(list, key.Position.Compare)
		}
		if rapid.Bool().Draw(t, "short batches") {
			m.short = func(limit int) int { return max(1, limit/2) }
		}
		r := Range{Descending: rapid.Bool().Draw(t, "descending")}
		slices.SortFunc(model, key.Position.Compare)
		if r.Descending {
			slices.Reverse(model)
		}
		from, to := 0, len(model)
		if len(model) > 0 {
			if rapid.Bool().Draw(t, "has after") {
				i := rapid.IntRange(0, len(model)-1).Draw(t, "after")
				r.After, from = &model[i], i+1
			}
			if rapid.Bool().Draw(t, "has until") {
				i := rapid.IntRange(0, len(model)-1).Draw(t, "until")
				r.Until, to = &model[i], i
			}
		}
		want := rapid.IntRange(0, 30).Draw(t, "want")
		var expect []string
		for i := from; i < to && len(expect) < want; i++ {
			expect = append(expect, model[i].CommentID)
		}
		p := plan.Choose(plan.Query{Filter: f, Items: want})
		items, _, err := Page(context.Background(), p, r, want, m.fetch)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(items); got != strings.Join(expect, " ") {
			t.Fatalf("%v\ngot  %s\nwant %s", p, got, strings.Join(expect, " "))
		}
	})
}
