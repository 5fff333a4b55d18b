package own

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"product-comments/store/stats"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// seriesName is one of a few series' names.
func seriesName(series, number int) Name {
	return nameOf(string([]byte{byte(series), 1, 2, 3, 4}), number)
}

// A set never lacks a name that it was given, and has no others of a series as long
// as what is missing lies within the window.
func TestSetIsExactWithinTheWindow(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		var s Set
		given, highest := map[Name]bool{}, map[int]int{}
		next := make([]int, 1+r.IntN(members))
		for i := range next {
			next[i] = r.IntN(100)
		}
		for range 300 {
			series := r.IntN(len(next))
			number := next[series] + r.IntN(40) // out of order, with gaps
			next[series] += r.IntN(4)
			n := seriesName(series, number)
			s = s.With(n, noon)
			given[n], highest[series] = true, max(highest[series], number)
		}
		again, err := ParseSet(s.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for series := range next {
			for number := range highest[series] + 10 {
				n := seriesName(series, number)
				exact := number > highest[series]-window
				if got := again.MayHave(n); given[n] && !got || exact && got != given[n] {
					t.Fatalf("series %d, number %d of at most %d: %t, given %t", series, number, highest[series], got, given[n])
				}
			}
		}
		if size := len(s.Bytes()); size > 4+members*(headSize+window/8) {
			t.Errorf("a set of %d bytes", size)
		}
	}
}

// A series whose writes are all counted takes a few bytes, however many they were.
func TestSetOfManyWritesIsSmall(t *testing.T) {
	var s Set
	for _, number := range rand.Perm(5 * window) {
		s = s.With(seriesName(1, number), noon)
	}
	if size := len(s.Bytes()); size != 4+headSize {
		t.Errorf("it takes %d bytes", size)
	}
}

// What a set forgets it takes for counted, unless it is so old that nobody asks.
func TestSetForgets(t *testing.T) {
	var s Set
	for series := range members + 1 {
		s = s.With(seriesName(series, 7), noon)
	}
	for name, want := range map[string]struct {
		n   Name
		may bool
	}{
		"one that was counted":            {seriesName(5, 7), true},
		"one that was not":                {seriesName(5, 8), false},
		"one of a series that was pushed": {seriesName(0, 7), true},
		"one that may have been":          {seriesName(99, 1), true},
	} {
		if got := s.MayHave(want.n); got != want.may {
			t.Errorf("%s: %t", name, got)
		}
	}
	back := s.With(seriesName(0, 9), noon)
	if !back.MayHave(seriesName(0, 8)) || back.MayHave(seriesName(0, 10)) {
		t.Error("what came before a series returned may have been counted, what comes after was not")
	}
	later := s.With(seriesName(50, 0), noon.Add(49*time.Hour))
	if later.MayHave(seriesName(99, 1)) || len(later.members) != 1 {
		t.Error("what is too old to be asked for is not forgotten")
	}
}

func TestDamagedSet(t *testing.T) {
	whole := Set{}.With(seriesName(1, 5), noon).Bytes()
	for n := range whole {
		if n != 4 { // it is one of nothing
			if _, err := ParseSet(whole[:n]); err == nil {
				t.Errorf("%d bytes of it are taken", n)
			}
		}
	}
}

func counted(rating int) *stats.Counted {
	return &stats.Counted{ProductID: "42", Language: "en", Rating: rating}
}

// zeros is read for names of series, each another one.
type zeros struct{ n byte }

func (z *zeros) Read(p []byte) (int, error) {
	z.n++
	return copy(p, bytes.Repeat([]byte{z.n}, len(p))), nil
}

// Only what was acknowledged counts, for a day, and until it is in the set.
func TestUncounted(t *testing.T) {
	w := NewWrites(&zeros{})
	scope := stats.Scope{ProductID: "42"}
	total := func(s Set, now time.Time) int {
		if d := w.Uncounted(scope, s, 0, now); d != nil {
			return d.Total()
		}
		return 0
	}
	first, _ := w.Try("42", Change{CommentID: "a", Made: true, After: counted(3)})
	second, _ := w.Try("42", Change{CommentID: "b", Made: true, After: counted(4)})
	if n := total(Set{}, noon); n != 0 {
		t.Errorf("%d count before they are acknowledged", n)
	}
	w.Acknowledge("42", first, noon)
	w.AcknowledgeCreate("42", "b", noon)
	for name, want := range map[string]struct {
		s   Set
		now time.Time
		n   int
	}{
		"both":               {Set{}, noon, 2},
		"one is in the set":  {Set{}.With(second, noon), noon, 1},
		"both are":           {Set{}.With(second, noon).With(first, noon), noon, 0},
		"a day has gone by":  {Set{}, noon.Add(Age), 0},
		"almost a day":       {Set{}, noon.Add(Age - time.Second), 2},
		"the clock set back": {Set{}, noon.Add(-time.Hour), 2},
	} {
		if n := total(want.s, want.now); n != want.n {
			t.Errorf("%s: %d", name, n)
		}
	}
	if d := w.Uncounted(scope, Set{}, 1, noon); d != nil {
		t.Errorf("writes count in a generation that does not know them: %v", d)
	}
	if _, ok := w.Try("42", Change{CommentID: "a", Before: counted(3), After: counted(3)}); ok {
		t.Error("a write that changes no count is named")
	}
}

// Two products have no series together, nor do two tries have one name.
func TestTry(t *testing.T) {
	w := NewWrites(&zeros{})
	c := Change{CommentID: "a", Before: counted(3), After: counted(5)}
	first, ok := w.Try("42", c)
	again, _ := w.Try("42", c)
	other, _ := w.Try("43", c)
	if !ok || first == again || first.series() != again.series() || first.series() == other.series() {
		t.Errorf("%x, %x, %x", first, again, other)
	}
	w.Acknowledge("42", again, noon)
	if got := w.Uncounted(stats.Scope{ProductID: "42", Language: "en"}, Set{}, 0, noon).Tally; got != (stats.Tally{0, 0, -1, 0, 1}) {
		t.Errorf("it counts for %v", got)
	}
}

// A comment that was tried to be made twice, since something else about it changed in
// between, counts once, as it was made.
func TestACreateThatIsTriedAgainCountsOnce(t *testing.T) {
	w := NewWrites(&zeros{})
	w.Try("42", Change{CommentID: "a", Made: true, After: counted(3)})
	last, _ := w.Try("42", Change{CommentID: "a", Made: true, After: counted(4)})
	if name, ok := w.AcknowledgeCreate("42", "a", noon); name != last || !ok {
		t.Errorf("%x, %t, want %x", name, ok, last)
	}
	if got := w.Uncounted(stats.Scope{ProductID: "42"}, Set{}, 0, noon).Tally; got != (stats.Tally{0, 0, 0, 1}) {
		t.Errorf("it counts for %v", got)
	}
}

// Memory is bounded: of one product by the window, of all by their number.
func TestWritesAreBounded(t *testing.T) {
	w := NewWrites(&zeros{})
	for range 3 * window {
		name, _ := w.Try("42", Change{CommentID: "a", After: counted(5)})
		w.Acknowledge("42", name, noon)
	}
	if d := w.Uncounted(stats.Scope{ProductID: "42"}, Set{}, 0, noon); d.Total() != window {
		t.Errorf("%d are remembered", d.Total())
	}
	for i := range writes {
		w.Try(string(rune('a'+i%64)), Change{CommentID: "a", After: counted(5)})
		if w.count > writes {
			t.Fatalf("%d writes are remembered", w.count)
		}
	}
	if d := w.Uncounted(stats.Scope{ProductID: "42"}, Set{}, 0, noon); d != nil {
		t.Errorf("the oldest are still remembered: %v", d)
	}
}

// A series that has no more numbers is followed by another one.
func TestSeriesEnd(t *testing.T) {
	w := NewWrites(&zeros{})
	names := map[Name]bool{}
	for range maxNumber + 10 {
		name, _ := w.Try("42", Change{CommentID: "a", After: counted(5)})
		if names[name] {
			t.Fatalf("%x twice", name)
		}
		names[name] = true
	}
	if s := (Set{}).With(seriesName(1, maxNumber), noon); !s.MayHave(seriesName(1, maxNumber)) || s.MayHave(seriesName(2, 0)) {
		t.Error("the last number does not fit")
	}
}
