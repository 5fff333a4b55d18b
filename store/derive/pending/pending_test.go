package pending_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/pending"
	"product-comments/store/derive/pending/names"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// log is the log of a process, with helpers of the tests.
type log struct {
	*testing.T
	*pending.Log
}

func newLog(t *testing.T) log { return log{t, pending.New(rand.NewChaCha8([32]byte{}))} }

// rated is a comment of a product without attributes.
func rated(rating int) *item.Stored {
	return &item.Stored{Comment: item.Comment{ProductID: "42", Language: "en", Rating: rating}}
}

// titled is a comment that projected lists have.
func titled(title string) *item.Stored {
	c := rated(3)
	c.Title, c.Defined = title, "1"
	return c
}

// wrote notes a write that took effect.
func (l log) wrote(id string, before, after *item.Stored, now time.Time) names.Name {
	l.Helper()
	began := l.Begin()
	name := l.Try("42", pending.Write{CommentID: id, Was: before, Is: after}, noon)
	if !l.Acknowledge("42", name, began, after, now) {
		l.Error("another write came in between")
	}
	return name
}

// count is how many comments of a product the writes add that are not in a set.
func (l log) count(projected names.Set, now time.Time) int {
	sum := stats.Deltas{}
	for _, w := range l.Unprojected("42", projected, now) {
		before, after := w.Counted()
		sum.Change(before, after, 0)
	}
	if d := sum[stats.Scope{ProductID: "42"}]; d != nil {
		return d.Total()
	}
	return 0
}

// titles returns the titles of an overlay by comment id, "gone" for deleted comments.
func (l log) titles(product string, now time.Time) map[string]string {
	out := map[string]string{}
	if of, _ := l.Overlay(product, now); of != nil {
		for id, c := range of.Comments {
			if out[id] = "gone"; c != nil {
				out[id] = c.Title
			}
		}
	}
	return out
}

func (l log) wants(when string, now time.Time, want string) {
	l.Helper()
	if got := fmt.Sprint(l.titles("42", now)); got != want {
		l.Errorf("%s: %s, want %s", when, got, want)
	}
}

// Only acknowledged writes count, for a day, and until they are in the set.
func TestUnprojected(t *testing.T) {
	l := newLog(t)
	began := l.Begin()
	first := l.Try("42", pending.Write{CommentID: "a", Is: rated(3)}, noon)
	second := l.Try("42", pending.Write{CommentID: "b", Is: rated(4)}, noon)
	if n := l.count(names.Set{}, noon); n != 0 {
		t.Errorf("%d count before they are acknowledged", n)
	}
	for _, name := range []names.Name{first, second, first} {
		testkit.Check(t, l.Acknowledge("42", name, began, nil, noon), "the comment is to be read, which no list shows")
	}
	for name, want := range map[string]struct {
		s   names.Set
		now time.Time
		n   int
	}{
		"both":               {names.Set{}, noon, 2},
		"one is in the set":  {names.Set{}.With(second, noon), noon, 1},
		"both are":           {names.Set{}.With(second, noon).With(first, noon), noon, 0},
		"a day has gone by":  {names.Set{}, noon.Add(names.Age), 0},
		"almost a day":       {names.Set{}, noon.Add(names.Age - time.Second), 2},
		"the clock set back": {names.Set{}, noon.Add(-time.Hour), 2},
	} {
		testkit.Equal(t, l.count(want.s, want.now), want.n, "%s", name)
	}
	all := l.Unprojected("43", names.Set{}, noon)
	testkit.Check(t, all == nil, "another product has %v", all)
}

// Writes without effect on counts and projected lists get names, but are not remembered. Two tries
// have two names, and names of two products belong to different series.
func TestNames(t *testing.T) {
	l := newLog(t)
	edit := pending.Write{CommentID: "a", Was: rated(3), Is: rated(5)}
	for name, w := range map[string]pending.Write{"nothing that counts": {CommentID: "a", Was: rated(3), Is: rated(3)}, "hidden": {CommentID: "a"}} {
		got := l.Try("42", w, noon)
		testkit.Check(t, !got.IsNumbered() && len(got) == names.Size, "%s: %x", name, got)
	}
	first, again, other := l.Try("42", edit, noon), l.Try("42", edit, noon), l.Try("43", edit, noon)
	testkit.Check(t, first != again && first[:6] == again[:6] && first[:6] != other[:6] && first.IsNumbered(), "%x, %x, %x", first, again, other)
	listed := l.Try("42", pending.Write{CommentID: "a", Was: titled("x"), Is: titled("y")}, noon)
	testkit.Check(t, listed.IsNumbered(), "a write that lists follow is not named")
	l.Acknowledge("42", again, l.Begin(), rated(5), noon)
	all := l.Unprojected("42", names.Set{}, noon)
	testkit.Check(t, len(all) == 1 && all[0].Was.Rating == 3 && all[0].Is.Rating == 5, "it counts as %+v", all)
}

// The product's statistics do not add a write that changes the moderation queue alone. Their set
// never has its name, so it would undo later writes of other processes.
func TestWritesOfTheQueueAlone(t *testing.T) {
	l := newLog(t)
	reported := rated(3)
	reported.Reports = 1
	l.wrote("a", rated(3), reported, noon)
	inQueue := l.UnprojectedInQueue(func(string) names.Set { return names.Set{} }, noon)
	all := l.Unprojected("42", names.Set{}, noon)
	testkit.Check(t, len(all) == 0 && len(inQueue) == 1, "statistics have %v, the queue %v", all, inQueue)
}

// Memory is bounded: of one product by the window, of all by bytes.
func TestMemoryIsBounded(t *testing.T) {
	l := newLog(t)
	for i := range 3 * names.Window {
		l.wrote(fmt.Sprint(i), nil, titled("x"), noon)
	}
	last := fmt.Sprint(3*names.Window - 1)
	if got := l.titles("42", noon); len(got) != names.Window || got[last] == "" || got["0"] != "" || l.count(names.Set{}, noon) != names.Window {
		t.Errorf("%d are shown, %d counted", len(got), l.count(names.Set{}, noon))
	}
	changed := l.Changed("42")
	for i := range 1 << 15 {
		l.Try(fmt.Sprint("other", i%64), pending.Write{CommentID: "a", Is: rated(5)}, noon)
	}
	n := l.count(names.Set{}, noon)
	testkit.Check(t, n == 0 && len(l.titles("42", noon)) == 0, "%d of the oldest are remembered", n)
	now := l.Changed("42")
	testkit.Check(t, now >= changed, "what was read before moment %d passes for read after it: %d", changed, now)
	large := titled(string(make([]byte, 1<<20)))
	l.wrote("small", nil, titled("x"), noon)
	for i := range 40 {
		id := fmt.Sprint(i)
		name := l.Try("43", pending.Write{CommentID: id, Is: large}, noon)
		l.Acknowledge("43", name, l.Begin(), large, noon)
	}
	if a, b := l.titles("42", noon), l.titles("43", noon); len(a) != 0 || len(b) < 12 || len(b) > 16 || b["39"] == "" {
		t.Errorf("%d and %d are shown", len(a), len(b))
	}
}

// A comment is in the overlay until all writes to it are projected, and a moment longer if
// that may be so for moments only.
func TestUntilListsFollow(t *testing.T) {
	l := newLog(t)
	first := l.wrote("a", nil, titled("first"), noon)
	second := l.wrote("a", titled("first"), titled("second"), noon)
	gone := l.wrote("b", titled("x"), nil, noon)
	l.wants("at once", noon, "map[a:second b:gone]")
	testkit.Check(t, !l.Due("42", noon.Add(100*time.Millisecond)) && !l.Due("43", noon.Add(time.Hour)), "it asks too early, or for nothing")
	now := noon.Add(500 * time.Millisecond)
	for _, reader := range []string{"asks", "waits for the one that asks"} {
		testkit.Check(t, l.Due("42", now), "no reader %s", reader)
	}
	set := names.Set{}.With(second, noon)
	l.Projected("42", set, 0, now)
	l.wants("one write is not projected", now.Add(time.Hour), "map[a:second b:gone]")
	l.Projected("42", set.With(first, noon), 0, now)
	l.wants("moments after", now.Add(900*time.Millisecond), "map[a:second b:gone]")
	l.wants("a second after", now.Add(time.Second), "map[b:gone]")
	l.Projected("42", set.With(gone, noon), 0, now.Add(time.Hour))
	l.wants("nothing was asked for an hour", now.Add(time.Hour), "map[]")
	for _, after := range []time.Duration{0, 999 * time.Millisecond, time.Second} {
		_, strong := l.Overlay("42", now.Add(time.Hour+after))
		testkit.Check(t, strong == (after < time.Second), "%v later: a replica may lack what is not in the overlay any more: %t", after, strong)
	}
	if n := l.count(names.Set{}, now.Add(time.Hour)); n != 0 { // one was made and one deleted
		t.Errorf("what lists have followed adds %d to counts that have not", n)
	}
	newer := titled("third")
	newer.Generation = 1
	l.wrote("a", nil, newer, noon)
	l.Projected("42", names.Set{}, 2, noon.Add(time.Hour))
	l.wants("all was counted again", noon.Add(time.Hour), "map[]")
	l.wrote("a", nil, titled("fourth"), noon)
	l.wants("the stream has dropped it", noon.Add(names.Age), "map[]")
}

// An overlay that was returned does not change, and the same one is returned until something
// changes.
func TestOverlaysDoNotChange(t *testing.T) {
	l := newLog(t)
	l.wrote("a", nil, titled("first"), noon)
	before, changed := testOverlay(l), l.Changed("42")
	testkit.Check(t, testOverlay(l) == before, "it is made for each reader")
	l.wrote("a", titled("first"), titled("second"), noon)
	after := testOverlay(l)
	testkit.Check(t, after != before && before.Comments["a"].Title == "first" && after.Comments["a"].Title == "second", "%v, %v", before, after)
	testkit.Check(t, l.Changed("42") != changed && l.Changed("43") == 0, "a page that was read before the second write passes for one after it")
}

func testOverlay(l log) *pending.Overlay {
	of, _ := l.Overlay("42", noon)
	return of
}

// The order of two concurrent writes, an edit and a vote, is unknown: the comment must be read. It
// stays in the overlay until both are projected.
func TestWritesAtOnce(t *testing.T) {
	l := newLog(t)
	began := l.Begin()
	edit := l.Try("42", pending.Write{CommentID: "a", Was: titled("old"), Is: titled("an edit")}, noon)
	voted := l.Name("42")
	vote := titled("a vote")
	vote.ID = "a"
	l.Vote(voted, 0, vote)
	testkit.Check(t, l.Acknowledge("42", voted, l.Begin(), vote, noon), "the vote is not taken for the last one")
	testkit.Check(t, !l.Acknowledge("42", edit, began, titled("an edit"), noon), "the edit is taken for the last one")
	l.wants("before it is read", noon, "map[a:a vote]")
	testkit.Check(t, l.Acknowledge("42", edit, l.Begin(), titled("both"), noon), "what was read after both is not taken for the last state")
	l.wants("when it is read", noon, "map[a:both]")
	for i, set := range []names.Set{names.Set{}.With(edit, noon), names.Set{}.With(voted, noon), names.Set{}.With(edit, noon).With(voted, noon)} {
		now := noon.Add(time.Duration(i+1) * time.Hour)
		l.Projected("42", set, 0, now)
		l.wants(fmt.Sprint("set ", i), now, []string{"map[a:both]", "map[a:both]", "map[]"}[i])
	}
}
