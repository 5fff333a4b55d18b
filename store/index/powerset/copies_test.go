package powerset

import (
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// offline are power sets whose table no one reaches.
func offline(now func() time.Time) *PowerSets {
	t := table.New(nil, "comments", table.Options{Now: now})
	return New(t, settings.New(t, settings.Options{}), shared.NewEpochs(), nil)
}

func image(t *testing.T, c item.Comment, generation int) *index.Image {
	t.Helper()
	c.ID, c.Language, c.CreatedAt, c.Version = "1", "en", time.Unix(1_700_000_000, 0).UTC(), 1
	it := item.Encode(&item.Stored{Comment: c, Generation: generation})
	stored := testkit.Value(item.Read(it, ""))(t)
	return &index.Image{Stored: stored, Item: it}
}

// made returns the items that a comment that comes has in a generation.
func made(t *testing.T, p *PowerSets, im *index.Image, now settings.Settings) (all []table.Item) {
	t.Helper()
	e := index.New(p.t, unguarded{p})
	effect := testkit.Value(e.Effect(t.Context(), now, index.Change{ID: im.ID, After: im, Is: im}))(t)
	writes, ahead, err := e.Flush(t.Context(), now, []*index.Effect{effect})
	testkit.Need(t, err == nil && len(ahead) == 0, "%v, %v", ahead, err)
	for _, w := range writes {
		all = append(all, w.Put)
	}
	return all
}

// unguarded are power sets without control items, which are in the table.
type unguarded struct{ entries }

type entries = index.Entries

// A comment has a copy in each set of ratings that contains its own, for its
// language and for any, which shows what an index would show.
func TestCopies(t *testing.T) {
	im := image(t, item.Comment{ProductID: "4/2", Rating: 3, Title: "title"}, 1)
	kept := settings.Settings{Generation: 7, PowerSets: map[string]settings.IndexState{"4/2": settings.IndexReadable}}
	keys := map[index.Key]bool{}
	for _, it := range made(t, offline(nil), im, kept) {
		at := index.KeyOf(it)
		keys[at] = true
		product, language, ratings, ok := key.ParsePowerSet(at.PK)
		if !ok || product != "4/2" || language != "en" && language != "" || ratings>>2&1 == 0 {
			t.Errorf("a copy in %s", at.PK)
		}
		c, err := item.Read(it, product)
		testkit.Check(t, err == nil && c.Title == "title" && c.ID == "1" && c.Rating == 3, "%s shows %+v, %v", at.PK, c, err)
		if gen, err := table.Number(it, "gen"); gen != 7 || err != nil || !table.IsTrue(it, "auto") {
			t.Errorf("%s is %v", at.PK, it)
		}
		if _, ok := table.Primary(it)[key.PK]; !ok || it[key.GSIPK] != nil {
			t.Errorf("%s is in an index: %v", at.PK, it)
		}
	}
	testkit.Check(t, len(keys) == copiesOfComment, "%d copies", len(keys))
}

// What changes touch: nothing for products without copies, 32 writes for a new
// comment, only what differs for an edit, and a control item each time.
func TestTouches(t *testing.T) {
	e := index.New(nil, offline(nil))
	three, four := image(t, item.Comment{ProductID: "42", Rating: 3}, 0), image(t, item.Comment{ProductID: "42", Rating: 4}, 0)
	for name, c := range map[string]struct {
		state  settings.IndexState
		change index.Change
		want   int
	}{
		"no copies":              {settings.IndexAbsent, index.Change{After: three}, 0},
		"new":                    {settings.IndexReadable, index.Change{After: three}, 32 + 1},
		"new, being made":        {settings.IndexBuilding, index.Change{After: three}, 32 + 1},
		"new, being disabled":    {settings.IndexDisabled, index.Change{After: three}, 32 + 1},
		"deleted":                {settings.IndexReadable, index.Change{Before: three}, 32 + 1},
		"another rating":         {settings.IndexReadable, index.Change{Before: three, After: four}, 16 + 32 + 1},
		"of no interest":         {settings.IndexReadable, index.Change{Before: three, After: three}, 0},
		"touched by the rebuild": {settings.IndexReadable, index.Change{Before: three, After: image(t, item.Comment{ProductID: "42", Rating: 3}, 2)}, 32 + 1},
	} {
		c.change.ID = "1"
		now := settings.Settings{Generation: 2, PowerSets: map[string]settings.IndexState{"42": c.state}}
		got := len(testkit.Value(e.Effect(t.Context(), now, c.change))(t).Touches)
		testkit.Check(t, got == c.want, "%s: %d items, want %d", name, got, c.want)
	}
}

// Copies that are being made are read after a rebuild, which makes all of them.
func TestARebuildMakesCopies(t *testing.T) {
	now := settings.Settings{State: settings.StateRebuilding, PowerSets: map[string]settings.IndexState{"filling": settings.IndexBuilding, "leaving": settings.IndexDisabled}}
	now.EndRebuild("weights")
	p := offline(nil)
	testkit.Check(t, p.Readable("filling", now) && !p.Readable("leaving", now) && now.PowerSets["leaving"] == settings.IndexDisabled, "got %v", now.PowerSets)
}

// Copies are read only where they are whole, statistics are kept, and this
// process has not just written.
func TestReadable(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	p := offline(func() time.Time { return at })
	now := settings.Settings{State: settings.StateKept, PowerSets: map[string]settings.IndexState{"42": settings.IndexReadable, "43": settings.IndexBuilding}}
	want := func(why string, want bool) {
		t.Helper()
		testkit.Equal(t, p.Readable("42", now), want, "%s", why)
	}
	want("they are ready", true)
	testkit.Check(t, !p.Readable("43", now) && !p.Readable("44", now), "there are none to read, or not all")
	for _, state := range []settings.State{settings.StateUnknown, settings.StateNew, settings.StateRebuilding, settings.StateBroken} {
		now.State = state
		want("the statistics are "+string(state), false)
	}
	now.State = settings.StateKept
	p.epochs.Wrote("42", at)
	want("this process wrote", false)
	at = at.Add(writtenAge)
	want("long ago", true)
}

// A rebuild leaves behind what it did not write again.
func TestObsolete(t *testing.T) {
	p := offline(nil)
	e := index.New(nil, p)
	im := image(t, item.Comment{ProductID: "42", Rating: 3}, 0)
	for generation, left := range map[int]bool{0: true, 1: true, 2: false, 3: false} {
		copies := made(t, p, im, settings.Settings{Generation: generation, PowerSets: map[string]settings.IndexState{"42": settings.IndexReadable}})
		testkit.Equal(t, len(copies), copiesOfComment, "copies")
		for _, it := range copies {
			w, ok := e.Obsolete(it, key.Table, 2)
			testkit.Need(t, ok == left && (!ok || w.Delete && w.If != ""), "generation %d: %v, %+v", generation, ok, w)
		}
	}
	for what, it := range map[string]table.Item{"a comment": im.Item, "a control item": controlKey("42")} {
		_, ok := p.EntryOf(it)
		testkit.Check(t, !ok, "%s was taken for a copy", what)
	}
}
