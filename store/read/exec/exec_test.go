package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// table answers requests from memory the way DynamoDB does: limits, exclusive
// start keys, and a LastEvaluatedKey whenever the limit was reached. short
// makes it return fewer items than asked for, as DynamoDB may at 1 MB.
type table struct {
	partitions map[key.Partition][]spot // ascending
	about      map[string]about         // by comment id
	short      func(limit int) int
}

// spot is a position whose sort key is spelled, which tests compare again and again.
type spot struct {
	key.Position
	sortKey string
}

func spotOf(p key.Position) spot { return spot{p, p.SortKey()} }

// ahead reports whether a spot lies behind the start of a range, and before its end.
func (r ends) ahead(s spot) (begun, ended bool) {
	begun = r.after == "" || s.sortKey != r.after && (s.sortKey < r.after) == r.descending
	ended = r.until != "" && (s.sortKey == r.until || (s.sortKey < r.until) == r.descending)
	return begun, ended
}

// ends are the two ends of a range, spelled.
type ends struct {
	after, until string
	descending   bool
}

func endsOf(r Range) ends {
	e := ends{descending: r.Descending}
	if r.After != nil {
		e.after = r.After.SortKey()
	}
	if r.Until != nil {
		e.until = r.Until.SortKey()
	}
	return e
}

// each calls back with the spots of a list that lie in a range, in its order, until
// told to stop.
func each(list []spot, r Range, visit func(spot) bool) {
	ends := endsOf(r)
	for i := range list {
		if r.Descending {
			i = len(list) - 1 - i
		}
		begun, ended := ends.ahead(list[i])
		if ended {
			return
		}
		if begun && !visit(list[i]) {
			return
		}
	}
}

func (m table) fetch(_ context.Context, q Request) (Batch[string], error) {
	var b Batch[string]
	limit := q.Limit
	if m.short != nil {
		limit = m.short(limit)
	}
	bytes := 0
	each(m.partitions[q.Partition], q.Range, func(at spot) bool {
		if !q.Contains(at.sortKey) {
			return true
		}
		if b.Evaluated == limit {
			return false
		}
		of := m.about[at.CommentID]
		bytes += of.size + len(q.Partition.Index.PartitionKey) + len(q.Partition.Value)
		if of.passes(q.Only) {
			b.Items = append(b.Items, Item[string]{SortKey: at.sortKey, At: at.Position, Language: of.language, Rating: of.rating, Size: of.size, Value: at.CommentID})
		}
		if b.Evaluated++; b.Evaluated == limit {
			b.Next = &at.Position
		}
		return true
	})
	if limit == 0 {
		b.Next = q.After
	}
	b.Units = unitsOf(bytes)
	return b, nil
}

// unitsOf is what DynamoDB charges for a query.
func unitsOf(bytes int) float64 { return 0.5 * float64(max(1, (bytes+4095)/4096)) }

func position(minute int, id string) key.Position {
	return key.Position{CreatedAt: time.Unix(int64(minute)*60, 0).UTC(), CommentID: id}
}

func at(minute int, id string) spot { return spotOf(position(minute, id)) }

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
	m := table{partitions: map[key.Partition][]spot{}}
	for i := range 40 { // all of the newest comments are rated 5
		m.partitions[key.PartitionByRating("42", 5)] = append(m.partitions[key.PartitionByRating("42", 5)], at(1000+i, fmt.Sprintf("five%02d", i)))
		m.partitions[key.PartitionByRating("42", 1)] = append(m.partitions[key.PartitionByRating("42", 1)], at(i, fmt.Sprintf("one%02d", i)))
	}
	var asked []string
	fetch := func(ctx context.Context, q Request) (Batch[string], error) {
		if q.After != nil {
			asked = append(asked, fmt.Sprintf("%s after %s", q.Partition.Value, q.After.CommentID))
		}
		return m.fetch(ctx, q)
	}
	p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(1, 5)}, Limit: 19})
	items, cost, err := Page(t.Context(), p, Range{Descending: true}, Fetch[string](fetch))
	testkit.Must(t, err)
	if len(items) != 20 || items[0].Value != "five39" || items[18].Value != "five21" {
		t.Errorf("got %s", shown(items))
	}
	want := []string{fmt.Sprintf("PRODUCT#42/5 after five%d", 40-p.Root.(*plan.Merge).Scans[1].Limit)}
	testkit.Check(t, slices.Equal(asked, want), "read on %v, want %v", asked, want)
	testkit.Check(t, cost.Queries == 3 && cost.RoundTrips == 2 && cost.Units == 1.5, "cost %+v", cost)
}

// A comment whose rating changes between two queries shows up in both partitions.
func TestOneItemInTwoPartitionsIsShownOnce(t *testing.T) {
	moved := at(5, "moved")
	m := table{partitions: map[key.Partition][]spot{
		key.PartitionByRating("42", 1): {at(1, "a"), moved},
		key.PartitionByRating("42", 2): {at(2, "b"), moved, at(9, "c")},
	}}
	p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(1, 2)}, Limit: 9})
	items, _, err := Page(t.Context(), p, Range{Descending: true}, Fetch[string](m.fetch))
	got := shown(items)
	testkit.Check(t, err == nil && got == "c moved b a", "got %s, %v", got, err)
}

// A comment whose rating changes between two queries is in two ranges of a list by rating.
// The page passes over it when it looks for one comment more, and makes no query twice.
func TestACommentThatMovedToTheNextSegment(t *testing.T) {
	moved := at(5, "moved")
	m := table{partitions: map[key.Partition][]spot{
		key.PartitionByRating("42", 5): {moved},
		key.PartitionByRating("42", 4): {at(1, "a"), at(2, "b"), moved},
	}}
	queries := 0
	fetch := func(ctx context.Context, q Request) (Batch[string], error) {
		if queries++; queries > 20 {
			return Batch[string]{}, errors.New("the page makes its queries again and again")
		}
		return m.fetch(ctx, q)
	}
	for limit, want := range []string{"moved", "moved b", "moved b a", "moved b a"} {
		queries = 0
		p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Order: plan.Order{Field: plan.ByRating}}, Limit: limit})
		items, _, err := Page(t.Context(), p, Range{Descending: true}, Fetch[string](fetch))
		got := shown(items)
		testkit.Check(t, err == nil && got == want, "%d and one more: got %q, %v; want %q", limit, got, err, want)
	}
}

func TestOneFailedPartitionFailsThePage(t *testing.T) {
	broken := errors.New("throttled")
	m := table{partitions: map[key.Partition][]spot{key.PartitionByRating("42", 1): {at(1, "a")}}}
	fetch := func(ctx context.Context, q Request) (Batch[string], error) {
		if q.Partition.Value == "PRODUCT#42/2" {
			return Batch[string]{}, broken
		}
		return m.fetch(ctx, q)
	}
	p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(1, 2)}, Limit: 9})
	items, _, err := Page(t.Context(), p, Range{}, Fetch[string](fetch))
	testkit.Check(t, errors.Is(err, broken) && items == nil, "got %v, %v", items, err)
}

// A comment that moves in time while it gets its first value may for a moment be among
// the comments without a value at both times. A page shows it once, and is as long as it was
// asked for.
func TestNoCommentTwiceAmongCommentsWithoutAValue(t *testing.T) {
	at := func(second int64, id string) key.Position {
		return key.Position{CreatedAt: time.Unix(second, 0), CommentID: id}
	}
	missing, bare := key.ColumnMissing("42", "fit"), key.ColumnBare("42")
	has := map[key.Partition][]key.Position{missing: {at(9, "a"), at(5, "moving"), at(1, "z")}, bare: {at(8, "b"), at(7, "moving"), at(0, "y")}}
	fetch := func(_ context.Context, q Request) (b Batch[string], err error) {
		for _, p := range has[q.Partition] {
			b.Items = append(b.Items, Item[string]{SortKey: p.SortKey(), At: p, Value: p.CommentID})
		}
		return b, nil
	}
	p := plan.Plan{Strategy: plan.Merged, Root: &plan.Merge{Scans: []*plan.Scan{{Span: key.Span{Partition: missing}, Limit: 5, Share: 1}, {Span: key.Span{Partition: bare}, Limit: 5, Share: 1}}}, Limit: 3}
	items, _, err := Page(t.Context(), p, Range{Descending: true}, Fetch[string](fetch))
	testkit.Must(t, err)
	var ids []string
	for _, it := range items {
		ids = append(ids, it.Value)
	}
	want := []string{"a", "b", "moving", "z"}
	testkit.Check(t, slices.Equal(ids, want), "got %v, want %v", ids, want)
}

// A page with a bound never costs more, however far it reads through what is not wanted,
// and however it divides its last units among partitions.
func TestNoPagePassesItsBound(t *testing.T) {
	r := testkit.Random(t)
	const pages = 100
	stopped := 0
	for range pages {
		m := table{partitions: map[key.Partition][]spot{}, about: map[string]about{}}
		tree := &plan.Merge{}
		p := plan.Plan{Strategy: plan.Merged, Root: tree, Limit: 20, Bound: 0.5 + float64(r.IntN(60))/2}
		size := 100 + r.IntN(1000)
		for rating := range 1 + r.IntN(4) {
			in := key.PartitionByRating("42", rating+1)
			for i := range 500 {
				id := fmt.Sprintf("c%d.%03d", rating, i)
				m.partitions[in] = append(m.partitions[in], at(i, id))
				m.about[id] = about{language: "en", rating: rating + 1, size: size + r.IntN(1+size/10), which: stats.Which(0).With(stats.Text, r.IntN(100) == 0)}
			}
			only := plan.Only{}
			only.Which = stats.Text
			tree.Scans = append(tree.Scans, &plan.Scan{Span: key.Span{Partition: in}, Only: only, Share: 0.01 + r.Float64()/20, Limit: 1 + r.IntN(500), Each: float64(size+len(in.Index.PartitionKey)+len(in.Value)) / 8192})
		}
		_, cost, err := Page(t.Context(), p, Range{Descending: true}, Fetch[string](m.fetch))
		testkit.Need(t, err == nil || errors.Is(err, ErrBound), "%v", err)
		testkit.Check(t, cost.Units <= p.Bound, "%d partitions of comments of about %d bytes: %.1f read units, at most %.1f", len(tree.Scans), size, cost.Units, p.Bound)
		if err != nil {
			stopped++
		}
	}
	testkit.Check(t, stopped >= pages/4, "only %d of %d pages stopped at their bounds", stopped, pages)
}
