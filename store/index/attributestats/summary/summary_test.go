package summary_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key/sortable"
)

func number(t testkit.Test, spelled string) sortable.Number {
	n, err := sortable.ParseNumber(spelled)
	testkit.Need(t, err == nil, "%q: %v", spelled, err)
	return n
}

func numbers(t testkit.Test, spelled ...string) (s summary.Summary) {
	for _, n := range spelled {
		s = s.Plus(summary.NumberValue(number(t, n)).Times(1))
	}
	return s
}

func TestSummaryOfNumbers(t *testing.T) {
	for _, c := range []struct {
		numbers              []string
		average, least, most float64
		rows                 string
	}{
		{[]string{"5"}, 5, 5, 5, "[{5 5 1}]"},
		{[]string{"4", "5", "4.0", "-1"}, 3, -1, 5, "[{-1 -1 1} {4 4 2} {5 5 1}]"},
		{[]string{"0.1", "0.2"}, 0.15, 0.1, 0.2, "[{0.1 0.1 1} {0.2 0.2 1}]"},
		{[]string{"1e125", "1", "-1e125"}, 1.0 / 3, -1e125, 1e125, "[{-1e+125 -1e+125 1} {1 1 1} {1e+125 1e+125 1}]"},
		{[]string{"9.9e-130", "-9.9e-130"}, 0, -9.9e-130, 9.9e-130, "[{-9.9e-130 -9.9e-130 1} {9.9e-130 9.9e-130 1}]"},
	} {
		s := numbers(t, c.numbers...)
		average, ok := s.Average()
		least, most, known := s.Extremes()
		if !ok || !known || average != c.average || least != c.least || most != c.most || fmt.Sprint(s.Histogram()) != c.rows {
			t.Errorf("%q: average %v, %v to %v, %v", c.numbers, average, least, most, s.Histogram())
		}
	}
	var none summary.Summary
	_, ok := none.Average()
	testkit.Check(t, !ok && none.IsZero() && len(none.Histogram()) == 0, "none: %+v", none)
}

// More than MaxValues different numbers are counted in buckets, which include the border nearer to
// 0.
func TestHistogramByBorders(t *testing.T) {
	spelled := []string{"0", "1", "1.99", "2", "4.999", "5", "9.99", "10", "0.5", "-1", "-1.99", "-2", "-0.001"}
	for i := range summary.MaxValues {
		spelled = append(spelled, fmt.Sprintf("7%04d", i))
	}
	s := numbers(t, spelled...)
	const want = "[{-5 -2 1} {-2 -1 2} {-0.002 -0.001 1} {0 0 1} {0.5 1 1} {1 2 2} {2 5 2} {5 10 2} {10 20 1} {50000 100000 32}]"
	testkit.Equal(t, fmt.Sprint(s.Histogram()), want, "fmt.Sprint(s.Histogram())")
	_, _, ok := s.Extremes()
	testkit.Check(t, !ok, "it claims to know each")
	for i := range summary.MaxValues { // they are counted by borders until none is left
		s = testkit.Value(s.After(summary.NumberValue(number(t, fmt.Sprintf("7%04d", i))).Times(-1)))(t)
	}
	_, _, ok = s.Extremes()
	testkit.Check(t, !ok, "it claims to know what it has forgotten")
}

func TestSummaryOfOthers(t *testing.T) {
	s := summary.ChoiceValue("M").Times(2).Plus(summary.ChoiceValue("true").Times(1)).Plus(summary.Value{}.Times(3))
	testkit.Check(t, s.Chosen() == 3 && s.Choices["M"] == 2 && s.Choices["true"] == 1 && s.Others == 3 && s.Numbers == 0, "%+v", s)
	_, err := s.After(summary.ChoiceValue("S").Times(-1))
	testkit.Check(t, errors.Is(err, stats.ErrNegative), "what was never counted is taken away: %v", err)
}

// After additions and subtractions in any order and parts, the summary equals the summary of the
// remaining values.
func TestSummariesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var kept []drawn
		var s, change summary.Summary
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(kept) > 0 && rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				i := rapid.IntRange(0, len(kept)-1).Draw(t, "which")
				change = change.Plus(kept[i].times(-1))
				kept = slices.Delete(kept, i, i+1)
			} else {
				v := draw(t)
				kept = append(kept, v)
				change = change.Plus(v.times(1))
			}
			if rapid.Bool().Draw(t, "write") {
				s, change = written(t, s, change), summary.Summary{}
			}
		}
		s = written(t, s, change)
		var want summary.Summary
		sum, n := new(big.Rat), 0
		for _, v := range kept {
			one := v.times(1)
			want = want.Plus(one)
			if one.Numbers > 0 {
				r, _ := new(big.Rat).SetString(v.number.String())
				sum.Add(sum, r)
				n++
			}
		}
		testkit.Need(t, s.Same(want) && s.IsZero() == (len(kept) == 0), "%+v, want %+v", s, want)
		if n > 0 {
			exact, _ := sum.Quo(sum, big.NewRat(int64(n), 1)).Float64()
			average, ok := s.Average()
			testkit.Need(t, ok && average == exact, "the average is %v, want %v", average, exact)
		}
		for _, greatest := range []bool{false, true} {
			border, ok := s.Beyond(greatest)
			for _, v := range kept {
				order := strings.Compare(place(v.number), place(border))
				testkit.Need(t, !ok || v.kind <= 1 || (!greatest || order <= 0) && (greatest || order >= 0), "%s is beyond %s", v.number, border)
			}
		}
		counted := 0
		for _, row := range s.Histogram() {
			counted += row.Count
		}
		testkit.Need(t, counted == n, "the histogram has %d of %d", counted, n)
		if len(kept) > 0 {
			more := s.Plus(kept[0].times(1))
			testkit.Need(t, !more.Same(s), "one more is not told apart from %+v", s)
		}
	})
}

// written is a summary after a change, stored and read again.
func written(t *rapid.T, s, change summary.Summary) summary.Summary {
	after, err := s.After(change)
	testkit.Need(t, err == nil, "%v", err)
	read, err := summary.Parse(after.Bytes())
	testkit.Need(t, err == nil && read.Same(after) && string(read.Bytes()) == string(after.Bytes()), "%+v became %+v, %v", after, read, err)
	return read
}

// place is where a number is among others.
func place(n sortable.Number) string { return string(sortable.AppendNumber(nil, n)) }

// drawn is a value.
type drawn struct {
	kind   int // 0 a text, 1 a choice, else a number
	choice string
	number sortable.Number
}

func (d drawn) times(n int) summary.Summary {
	switch d.kind {
	case 0:
		return summary.Value{}.Times(n)
	case 1:
		return summary.ChoiceValue(d.choice).Times(n)
	}
	return summary.NumberValue(d.number).Times(n)
}

func draw(t *rapid.T) drawn {
	spelled := fmt.Sprintf("%de%d", rapid.Int64().Draw(t, "digits"), rapid.SampledFrom([]int{0, 0, 0, -1, -2, -100, 100}).Draw(t, "exponent"))
	if rapid.Bool().Draw(t, "small") {
		spelled = fmt.Sprint(rapid.IntRange(-3, 5).Draw(t, "number"))
	}
	return drawn{rapid.IntRange(0, 5).Draw(t, "kind"), rapid.SampledFrom([]string{"S", "M", "", "true"}).Draw(t, "choice"), number(t, spelled)}
}

// A summary returns the count of numbers in a range, or an upper bound.
func TestBetween(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		var s summary.Summary
		var all []sortable.Number
		for range rapid.IntRange(0, 60).Draw(t, "numbers") {
			n := number(t, fmt.Sprint(rapid.IntRange(-60, 60).Draw(t, "number")))
			s, all = s.Plus(summary.NumberValue(n).Times(1)), append(all, n)
		}
		end := func(name string) *sortable.Number {
			if rapid.IntRange(0, 3).Draw(t, "open "+name) == 0 {
				return nil
			}
			n := number(t, rapid.SampledFrom([]string{"-50", "-20", "-7", "-1", "0", "1", "2", "5", "10", "33", "50"}).Draw(t, name))
			return &n
		}
		least, greatest := end("least"), end("greatest")
		want := 0
		for _, n := range all {
			if (least == nil || place(n) >= place(*least)) && (greatest == nil || place(n) <= place(*greatest)) {
				want++
			}
		}
		if n, ok := s.Between(least, greatest); n < want || ok && n != want {
			t.Fatalf("%d, want %d", n, want)
		} else if _, _, each := s.Extremes(); ok && !each {
			known++
		} else if !ok && each {
			t.Fatal("it does not tell, although it knows each")
		}
		if least == nil {
			return
		}
		want = 0
		for _, n := range all {
			if n == *least {
				want++
			}
		}
		n, ok := s.Equal(*least)
		testkit.Need(t, n == want || !ok && n > want, "%d are the same, want %d", n, want)
	})
	testkit.Check(t, known != 0, "no histogram told of a range")
}

func TestWhatIsNoSummary(t *testing.T) {
	whole := numbers(t, "1", "2.5", "-7").Plus(summary.ChoiceValue("M").Times(2)).Bytes()
	for n := range whole {
		if s, err := summary.Parse(whole[:n]); err == nil && n > 0 && string(s.Bytes()) != string(whole[:n]) {
			t.Errorf("%x is %+v", whole[:n], s)
		}
	}
	for _, b := range [][]byte{{}, {1}, append(slices.Clone(whole), 0), {0, 0, 1, 1, 'x', 0}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		s, err := summary.Parse(b)
		testkit.Check(t, err != nil, "%x is %+v", b, s)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(numbers(f, "1", "2.5", "-7").Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := summary.Parse(b)
		if err != nil {
			return
		}
		again, err := summary.Parse(s.Bytes())
		testkit.Need(t, err == nil && again.Same(s), "%x: %v", b, err)
		s.Histogram()
		s.Average()
		s.Extremes()
	})
}
