package key

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
)

// A range of times has the same comments in a span as it has times, whatever their ids,
// and wherever the span is read from.
func TestSpanWithinTimes(t *testing.T) {
	column := ColumnValues("42", "size")
	spans := []Span{{Partition: PartitionAll("42")}, OfValue(column, "m#"), {Partition: ColumnMissing("42", "size")}}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Custom(func(t *rapid.T) time.Time {
			return time.Unix(1e9, int64(rapid.IntRange(0, 5).Draw(t, "ns"))).In(time.FixedZone("", 3600))
		})
		end := rapid.OneOf(rapid.Just(time.Time{}), at)
		times := TimesOf(end.Draw(t, "from"), end.Draw(t, "before"))
		s := rapid.SampledFrom(spans).Draw(t, "span")
		within := s.Within(times)
		p := Position{CreatedAt: at.Draw(t, "at").UTC(), CommentID: rapid.StringN(1, 3, -1).Draw(t, "id")}
		sort := s.SortKey(p)
		if got, want := within.Contains(sort), times.Has(p.CreatedAt); got != want {
			t.Fatalf("%v has %v: %t, the span: %t", times, p, want, got)
		}
		for _, descending := range []bool{false, true} {
			begin, last, ok := within.Clip(nil, nil, descending)
			if descending {
				begin, last = last, begin
			}
			got := ok && sort > begin && (last == "" || sort < last)
			testkit.Need(t, got == times.Has(p.CreatedAt), "%v, descending %t: %v is read: %t", times, descending, p, got)
		}
	})
}

func TestTimesAreSpelled(t *testing.T) {
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))
	got := []string{Times{}.String(), TimesOf(from, time.Time{}).String(), TimesOf(from, from.Add(time.Second)).String()}
	want := []string{"", "created from 2023-12-31T23:00:00Z", "created from 2023-12-31T23:00:00Z and before 2023-12-31T23:00:01Z"}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	same := TimesOf(from, from)
	testkit.Check(t, same.Empty() && !same.Any() && same == TimesOf(from.UTC(), from.Local()), "%+v", same)
}

// Positions of every kind of span come back from their sort keys, lie between its borders
// and are in its order, and a scan of a range has exactly those between its ends.
func TestSpans(t *testing.T) {
	noon := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	column := ColumnValues("42", "size")
	spans := map[string]struct {
		Span
		values []string
	}{
		"all":       {Span{Partition: PartitionAll("42")}, []string{""}},
		"values":    {ValuesBetween(column, nil, nil), []string{"\x01", "a#b", "\xf0"}},
		"some":      {ValuesBetween(column, []byte("b"), []byte("c")), []string{"b", "c"}},
		"one value": {OfValue(column, "v"), []string{""}},
		"authored":  {AuthoredIn("alice", "PENDING", time.Time{}, time.Time{}), []string{""}},
		"status":    {ByStatus("alice", "SHIPPED"), []string{"", Unshipped}},
		"leaders":   {Span{Partition: Leaders("en")}, []string{"000000000007", "000000000070"}},
		"scores":    {Span{Partition: Scores("en")}, []string{"003500000000", "004250000000"}},
		"shipped":   {Shipped("alice", "SHIPPED", noon.Add(-time.Hour), noon.Add(time.Hour)), []string{""}},
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"all", "values", "some", "one value", "authored", "status", "shipped", "leaders", "scores"}).Draw(t, "span")
		s := spans[name]
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Position {
			return Position{
				CreatedAt: noon.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "minutes")) * time.Minute),
				CommentID: rapid.SampledFrom([]string{"1", "2", "#", "é#20260309120000000000000#x"}).Draw(t, "id"),
				Value:     rapid.SampledFrom(s.values).Draw(t, "value"),
			}.in(s.Span)
		}), 2, 9).Draw(t, "positions")
		for _, at := range all {
			sortKey := s.SortKey(at)
			back, ok := s.Position(sortKey)
			testkit.Need(t, ok && back == at, "%s: %+v is %q, which is %+v, %v", name, at, sortKey, back, ok)
			testkit.Need(t, s.Contains(sortKey), "%s: %q lies outside of %q and %q", name, sortKey, s.From, s.To)
		}
		after, until := all[0], all[1]
		descending := rapid.Bool().Draw(t, "descending")
		slices.SortFunc(all, Compare)
		if !slices.IsSortedFunc(all, func(a, b Position) int { return strings.Compare(s.SortKey(a), s.SortKey(b)) }) {
			t.Fatalf("%s: sort keys have another order than positions", name)
		}
		begin, end, ok := s.Clip(&after, &until, descending)
		for _, at := range all {
			ahead := func(a, b string) bool { return a != b && (a < b) != descending }
			sortKey := s.SortKey(at)
			inside := ahead(after.SortKey(), at.SortKey()) && ahead(at.SortKey(), until.SortKey())
			got := ok && ahead(begin, sortKey) && ahead(sortKey, end)
			testkit.Need(t, got == inside, "%s: %+v is inside: %v", name, at, got)
		}
	})
	s := spans["shipped"]
	for _, out := range []Position{{CreatedAt: noon, CommentID: "1", Value: Unshipped}, {CreatedAt: noon.Add(time.Hour), CommentID: "1"}} {
		testkit.Check(t, !s.Contains(s.SortKey(out)), "%+v was shipped before", out)
	}
	for _, s := range []Span{spans["all"].Span, spans["one value"].Span} {
		at, ok := s.Position(s.Prefix + "value" + Position{CreatedAt: noon, CommentID: "1"}.SortKey())
		testkit.Check(t, !ok, "%+v has no values", at)
	}
}

// in is the position in a span, where some have no times.
func (p Position) in(s Span) Position {
	if s.Partition.ranked() {
		p.CreatedAt = time.Time{}
	}
	return p
}
