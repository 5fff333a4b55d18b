package powerset

import (
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// offline are power sets whose table no one reaches.
func offline(now func() time.Time) *PowerSets {
	t := table.New(nil, "comments", table.Options{Now: now})
	return New(t, settings.New(t, settings.Options{}), reads.NewEpochs(), nil)
}

func image(t *testing.T, c item.Comment, generation int) *index.Image {
	t.Helper()
	c.ID, c.Language, c.CreatedAt, c.Version = "1", "en", time.Unix(1_700_000_000, 0).UTC(), 1
	it := item.Encode(&item.Stored{Comment: c, Generation: generation}, nil)
	stored := testkit.Value(item.Read(it, ""))(t)
	return &index.Image{Stored: stored, Item: it}
}

// A comment has a copy in each set of ratings that contains its own, for its
// language and for any, which shows what an index would show.
func TestCopies(t *testing.T) {
	im := image(t, item.Comment{ProductID: "4/2", Rating: 3, Title: "title"}, 1)
	made := map[index.Key]bool{}
	for _, at := range keysOf(&im.Stored) {
		made[at] = true
		it := layout(settings.Settings{Generation: 7}).Writes(im, at.PK, index.Move{Put: &at})[0].Put
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
	testkit.Check(t, len(made) == copiesOfComment, "%d copies", len(made))
}

// What changes touch: nothing for products without copies, 32 writes for a new
// comment, only what differs for an edit, and a control item each time.
func TestTouches(t *testing.T) {
	p := offline(nil)
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
		got := len(p.Touches(now, c.change))
		testkit.Check(t, got == c.want, "%s: %d items, want %d", name, got, c.want)
	}
}

// Copies that are being made are read after a rebuild, which makes all of them.
func TestARebuildMakesCopies(t *testing.T) {
	now := settings.Settings{State: settings.StateKept, PowerSets: map[string]settings.IndexState{"filling": settings.IndexBuilding, "leaving": settings.IndexDisabled}}
	p := offline(nil)
	p.FinishRebuild(&now)
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
	im := image(t, item.Comment{ProductID: "42", Rating: 3}, 0)
	for generation, left := range map[int]bool{0: true, 1: true, 2: false, 3: false} {
		for _, at := range keysOf(&im.Stored) {
			it := layout(settings.Settings{Generation: generation}).Writes(im, at.PK, index.Move{Put: &at})[0].Put
			w, ok := index.Obsolete([]index.Index{p}, it, key.Table, 2)
			testkit.Need(t, ok == left && (!ok || w.Delete && w.If != ""), "generation %d: %v, %+v", generation, ok, w)
		}
	}
	testkit.Check(t, !p.Owns(im.Item), "a comment was taken for a copy")
	testkit.Check(t, !p.Owns(controlKey("42")), "a control item was taken for a copy")
}
