package statistics

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"product-comments/store/key"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// stored returns hints as they are read back after they were written.
func stored(t *testing.T, h hintsItem) (table.Write, hintsItem) {
	t.Helper()
	w := h.write(table.NewRandom(1))
	back, err := parseHints(h.product, w.Put)
	if err != nil {
		t.Fatal(err)
	}
	return w, back
}

// Hints have an attribute a language, whatever the language is called.
func TestHintsAreReadBack(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	kinds := []kind{{"en", 1}, {"en", 5}, {"pt-BR", 3}, {"rev", 2}, {"all", 4}}
	h, changed := hintsItem{product: "42"}.change(kinds, now, time.Time{})
	if !changed {
		t.Error("new hints are no change")
	}
	w, back := stored(t, h)
	if !maps.Equal(back.kinds, h.kinds) || !back.all.IsZero() || back.old || back.revision == 0 {
		t.Errorf("got %+v, want %+v", back, h)
	}
	if n := len(w.Put); n != 2+1+4 { // keys, revision, languages
		t.Errorf("%d attributes: %v", n, w.Put)
	}
	for language, want := range map[string]key.Ratings{"en": 0b10001, "": key.AllRatings, "de": 0} {
		if got := back.ratings(language); got != want {
			t.Errorf("of %q %b are hinted, want %b", language, got, want)
		}
	}
	if _, changed := back.change(nil, now, now.Add(hintLife-time.Second)); changed {
		t.Error("hints changed by themselves")
	}
	gone, changed := back.change(nil, now, now.Add(hintLife))
	if w := gone.write(table.NewRandom(1)); !changed || !w.Delete {
		t.Errorf("hints that are too old are kept: %+v", gone)
	}
}

// Beyond so many languages one attribute hints all kinds, until that is too old.
func TestManyHintsBecomeOne(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	h := hintsItem{product: "42"}
	for i := range stats.MaxListed {
		h, _ = h.change([]kind{{fmt.Sprintf("l%d", i), 1 + i%5}}, now, time.Time{})
	}
	if !h.all.IsZero() || len(h.kinds) != stats.MaxListed {
		t.Fatalf("%d kinds, all at %v", len(h.kinds), h.all)
	}
	later := now.Add(time.Hour)
	h, changed := h.change([]kind{{"one-more", 5}}, later, time.Time{})
	w, back := stored(t, h)
	if !changed || len(w.Put) != 2+1+1 || !back.all.Equal(later) {
		t.Errorf("%v, %+v", changed, w.Put)
	}
	if back.ratings("never-named") != key.AllRatings || !back.at(kind{"l3", 4}).Equal(later) {
		t.Error("all kinds are hinted, and it does not say so")
	}
	if again, changed := back.change(nil, later, later.Add(hintLife)); !changed || !again.all.IsZero() {
		t.Errorf("%+v", again)
	}
}

// Hints of before they were bounded are read, and written in the new form with
// the next change of anything.
func TestOldHintsAreRead(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	old := hintsKey("42")
	old[attrRevision], old["en/5"], old["pt-BR/1"] = table.N(7), table.N(int(at.Unix())), table.N(int(at.Unix()))
	h, err := parseHints("42", old)
	want := map[kind]time.Time{{"en", 5}: at, {"pt-BR", 1}: at}
	if err != nil || h.revision != 7 || !maps.Equal(h.kinds, want) {
		t.Fatalf("%+v, %v", h, err)
	}
	to, changed := h.change(nil, at, time.Time{})
	w, back := stored(t, to)
	if !changed || w.Put["en/5"] != nil || !maps.Equal(back.kinds, want) || back.old {
		t.Errorf("%v, %+v", changed, w.Put)
	}
}
