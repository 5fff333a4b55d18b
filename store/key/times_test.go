package key

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
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
