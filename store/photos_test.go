package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/derive/index"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// photoID is the id of a photo with a name of at most 25 letters.
func photoID(name string) string { return name + strings.Repeat("a", 26-len(name)) }

func photo(name string) store.Photo {
	return store.Photo{ID: photoID(name), Width: 1200, Height: 1600, Placeholder: "data " + name}
}

// photosOf returns the photos of names, as an input gives them.
func photosOf(names ...string) []store.Photo {
	all := []store.Photo{}
	for _, name := range names {
		all = append(all, store.Photo{ID: photoID(name), Description: "of " + name})
	}
	return all
}

// album is a store with the bytes of photos.
type album struct {
	*store.Store
	clock clock
	mu    sync.Mutex
	bytes map[string]bool
	fails error
}

func newAlbum(t *testing.T, o store.Options) *album {
	a := &album{bytes: map[string]bool{}}
	o.PlaceAge, o.Now, o.DeletePhoto = -1, a.clock.now, func(_ context.Context, id string) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.fails == nil {
			delete(a.bytes, id)
		}
		return a.fails
	}
	a.Store = storeWith(t, o)
	return a
}

// upload uploads photos for a person.
func (a *album) upload(t *testing.T, by string, names ...string) {
	t.Helper()
	for _, name := range names {
		testkit.Must(t, a.UploadedPhoto(t.Context(), photo(name), by))
		a.bytes[photoID(name)] = true
	}
}

// stays fails unless maintenance leaves the bytes of just these photos.
func (a *album) stays(t *testing.T, names ...string) {
	t.Helper()
	storetest.Maintain(t, a.Projector())
	var want []string
	for _, name := range names {
		want = append(want, photoID(name))
	}
	slices.Sort(want)
	got := slices.Sorted(maps.Keys(a.bytes))
	testkit.Check(t, slices.Equal(got, want), "the bytes of %v stay, not of %v", got, want)
}

func withPhotos(by string, names ...string) store.NewComment {
	return store.NewComment{ProductID: "42", Rating: 4, Language: "en", Owner: by, By: by, Photos: photosOf(names...)}
}

func wantPhotos(t *testing.T, c *store.Comment, names ...string) {
	t.Helper()
	var want []store.Photo
	for _, name := range names {
		p := photo(name)
		p.Description = "of " + name
		want = append(want, p)
	}
	testkit.Check(t, slices.Equal(c.Photos, want), "comment %s has %+v, not %+v", c.ID, c.Photos, want)
}

// A comment takes only what its author has uploaded within a day and no other comment has.
func TestCommentsTakePhotosOfTheirAuthors(t *testing.T) {
	a := newAlbum(t, store.Options{})
	a.upload(t, "alice", "old")
	a.clock.advance(24*time.Hour + time.Second)
	a.upload(t, "alice", "mine", "used", "b", "c", "d", "e", "f", "g")
	a.upload(t, "bob", "bobs")
	a.upload(t, "", "shops")
	first := mustCreate(t, a.Store, withPhotos("alice", "used"))
	own := mustCreate(t, a.Store, withPhotos("alice"))
	for name, c := range map[string]struct {
		photos        []store.Photo
		code          errs.Code
		field, reason string
	}{
		"another's":         {photosOf("mine", "bobs"), errs.BadUserInput, "photos.1.id", errs.NotAPhoto},
		"the shop's":        {photosOf("shops"), errs.BadUserInput, "photos.0.id", errs.NotAPhoto},
		"unknown":           {photosOf("none"), errs.BadUserInput, "photos.0.id", errs.NotAPhoto},
		"expired":           {photosOf("old"), errs.BadUserInput, "photos.0.id", errs.NotAPhoto},
		"another comment's": {photosOf("used"), errs.Conflict, "photos.0.id", ""},
		"seven":             {photosOf("mine", "b", "c", "d", "e", "f", "g"), errs.BadUserInput, "photos", errs.TooMany},
		"twice":             {photosOf("mine", "mine"), errs.BadUserInput, "photos.1.id", errs.Contradiction},
		"no id":             {[]store.Photo{{ID: "../../etc/passwd"}}, errs.BadUserInput, "photos.0.id", errs.NotAPhoto},
		"upper case":        {[]store.Photo{{ID: strings.ToUpper(photoID("mine"))}}, errs.BadUserInput, "photos.0.id", errs.NotAPhoto},
		"other last bits":   {[]store.Photo{{ID: photoID("mine")[:25] + "b"}}, errs.BadUserInput, "photos.0.id", errs.NotAPhoto},
		"long description":  {[]store.Photo{{ID: photoID("mine"), Description: strings.Repeat("ä", 251)}}, errs.BadUserInput, "photos.0.description", errs.TooLong},
		"lines":             {[]store.Photo{{ID: photoID("mine"), Description: "a\nb"}}, errs.BadUserInput, "photos.0.description", errs.BadCharacter},
	} {
		t.Run(name, func(t *testing.T) {
			n := withPhotos("alice")
			n.Photos = slices.Clone(c.photos)
			_, created := a.Create(t.Context(), n)
			_, updated := a.Update(t.Context(), store.Change{ID: own.ID, Photos: &c.photos, By: "alice"})
			for _, err := range []error{created, updated} {
				var e *errs.Error
				testkit.Need(t, errors.As(err, &e), "%v", err)
				testkit.Check(t, e.Code == c.code && e.Field == c.field && e.Reason == c.reason, "%s %s %s: %v", e.Code, e.Field, e.Reason, e)
			}
		})
	}
	all := mustCreate(t, a.Store, withPhotos("alice", "g", "f", "e", "d", "c", "b"))
	wantPhotos(t, get(t, a.Store, all.ID), "g", "f", "e", "d", "c", "b")
	wantPhotos(t, get(t, a.Store, first.ID), "used")
	testkit.Check(t, get(t, a.Store, own.ID).Version == 1, "a refused change took effect")
	a.stays(t, "old", "mine", "used", "b", "c", "d", "e", "f", "g", "bobs", "shops")
	a.clock.advance(time.Hour)
	a.stays(t, "mine", "used", "b", "c", "d", "e", "f", "g", "bobs", "shops")
	a.clock.advance(25 * time.Hour)
	a.stays(t, "used", "b", "c", "d", "e", "f", "g")
}

// Of two comments at once one gets the photo.
func TestOnePhotoInTwoCommentsAtOnce(t *testing.T) {
	a := newAlbum(t, store.Options{})
	for round := range 10 {
		name := fmt.Sprint("p", string(rune('b'+round)))
		a.upload(t, "alice", name)
		other := mustCreate(t, a.Store, withPhotos("alice"))
		var made [4]error
		testkit.AtOnce(4, func(i int) {
			if i == 0 {
				made[i] = testkit.Err(a.Update(t.Context(), store.Change{ID: other.ID, Photos: new(photosOf(name)), By: "alice"}))
			} else {
				made[i] = testkit.Err(a.Create(t.Context(), withPhotos("alice", name)))
			}
		})
		n := 0
		for _, err := range made {
			if err == nil {
				n++
			} else {
				wantCode(t, err, errs.Conflict)
			}
		}
		testkit.Check(t, n == 1, "%d comments have the photo: %v", n, made)
	}
}

// between calls do once, after the first call that reads photos.
func between(api store.API, reads func(in any) bool, do func()) *storetest.Calls {
	once := sync.OnceFunc(do)
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		_, err := call(ctx)
		if reads(in) {
			once()
		}
		return err
	}}
}

// A photo that another comment takes, or that is deleted, after its record was read is not taken; one
// that a comment takes after it was listed is not deleted.
func TestPhotosChangeBetweenReadAndWrite(t *testing.T) {
	a := newAlbum(t, store.Options{})
	api := storetest.Client(t)
	records := func(in any) bool { _, ok := in.(*dynamodb.BatchGetItemInput); return ok }
	for name, do := range map[string]func(name string){
		"taken":   func(name string) { mustCreate(t, a.Store, withPhotos("alice", name)) },
		"dropped": func(string) { testkit.Value(a.Erase(t.Context(), store.Erasure{Subject: "alice"}))(t) },
	} {
		a.upload(t, "alice", name)
		late := store.New(between(api, records, func() { do(name) }), a.Table(), store.Options{})
		_, err := late.Create(t.Context(), withPhotos("alice", name))
		want := map[string]errs.Code{"taken": errs.Conflict, "dropped": errs.BadUserInput}[name]
		wantCode(t, err, want)
	}
	a.upload(t, "bob", "x")
	a.clock.advance(26 * time.Hour)
	listing := func(in any) bool {
		q, ok := in.(*dynamodb.QueryInput)
		if !ok {
			return false
		}
		for _, v := range q.ExpressionAttributeValues {
			if s, ok := v.(*types.AttributeValueMemberS); ok && s.Value == key.DuePhoto(photoID("x")).Value {
				return true
			}
		}
		return false
	}
	behind := store.New(api, a.Table(), store.Options{})
	deleted := ""
	ahead := store.New(between(api, listing, func() { mustCreate(t, behind, withPhotos("bob", "x")) }), a.Table(),
		store.Options{Now: a.clock.now, DeletePhoto: func(_ context.Context, id string) error { deleted += id; return nil }})
	storetest.Maintain(t, ahead.Projector())
	published, _, err := a.PhotoVisible(t.Context(), photoID("x"))
	testkit.Check(t, err == nil && published && !strings.Contains(deleted, photoID("x")), "%t, %v, deleted %s", published, err, deleted)
}

// What is repeated after a lost answer, by the client of the table or by a person, takes photos once.
func TestPhotosWhereAnswersAreLost(t *testing.T) {
	l := newLosing(storetest.Client(t))
	s := storeOn(t, l, storetest.TableName(t))
	for _, name := range []string{"x", "y"} {
		l.lose = 1
		testkit.Must(t, s.UploadedPhoto(t.Context(), photo(name), "alice"))
	}
	wantCode(t, s.UploadedPhoto(t.Context(), photo("x"), "bob"), errs.Conflict)
	l.lose = 1
	n := withPhotos("alice", "x")
	n.IdempotencyKey = "k"
	c := mustCreate(t, s, n)
	wantPhotos(t, &c, "x")
	again := mustCreate(t, s, n)
	testkit.Check(t, again.ID == c.ID, "%+v", again)
	wantPhotos(t, &again, "x")
	l.lose = 1
	c = update(t, s, store.Change{ID: c.ID, Photos: new(photosOf("y", "x")), By: "alice"})
	wantPhotos(t, &c, "y", "x")
	again = update(t, s, store.Change{ID: c.ID, Photos: new(photosOf("y", "x")), By: "alice"})
	testkit.Check(t, again.Version == 2, "%+v", again)
	l.lose = 1
	remove(t, s, c.ID)
	for _, name := range []string{"x", "y"} {
		_, found, err := s.PhotoVisible(t.Context(), photoID(name))
		testkit.Check(t, err == nil && !found, "%t, %v", found, err)
	}
	testkit.Check(t, l.lose == 0, "no answer was lost")
}

// What a comment has no more goes with the next maintenance; what it has stays, in any state.
func TestPhotosGoWithTheirComments(t *testing.T) {
	a := newAlbum(t, store.Options{})
	visible := func(name string, wantPublished, wantFound bool) {
		t.Helper()
		published, found, err := a.PhotoVisible(t.Context(), photoID(name))
		testkit.Check(t, err == nil && published == wantPublished && found == wantFound, "%s: %t, %t, %v", name, published, found, err)
	}
	decide := func(v moderation.Verb) func(id string) error {
		return func(id string) error {
			return testkit.Err(a.Decide(t.Context(), store.Ruling{ID: id, Verb: v, By: "mia", Reason: "so"}))
		}
	}
	for i, c := range []struct {
		what             string
		do               func(id string) error
		published, found bool // the first photo, after it; the second one is seldom left
		left             []string
	}{
		{"rejected", decide(moderation.Reject), false, true, []string{"x", "y"}},
		{"withdrawn", decide(moderation.Withdraw), false, false, nil},
		{"deleted", func(id string) error { return testkit.Err(a.Delete(t.Context(), id, nil)) }, false, false, nil},
		{"edited", func(id string) error {
			return testkit.Err(a.Update(t.Context(), store.Change{ID: id, Photos: new(photosOf("x")), By: "alice"}))
		}, true, true, []string{"x"}},
		{"emptied", func(id string) error {
			return testkit.Err(a.Update(t.Context(), store.Change{ID: id, Photos: &[]store.Photo{}, By: "alice"}))
		}, false, false, nil},
		{"removed by a moderator", func(id string) error {
			return testkit.Err(a.RemovePhoto(t.Context(), store.PhotoRemoval{ID: id, PhotoID: photoID("y"), By: "mia", Reason: "a face"}))
		}, true, true, []string{"x"}},
		{"erased", func(string) error { return testkit.Err(a.Erase(t.Context(), store.Erasure{Subject: "alice"})) }, false, false, nil},
		{"anonymous", func(string) error {
			return testkit.Err(a.Erase(t.Context(), store.Erasure{Subject: "alice", Anonymous: true}))
		}, false, false, nil},
		{"replaced by an import", func(id string) error {
			was := get(t, a.Store, id)
			was.Photos, was.Rating = nil, 1
			return testkit.Err(a.Import(t.Context(), []store.Comment{*was}))
		}, true, true, []string{"x", "y"}},
	} {
		a.upload(t, "alice", "x", "y")
		made := mustCreate(t, a.Store, withPhotos("alice", "x", "y"))
		visible("x", true, true)
		a.stays(t, "x", "y")
		testkit.Must(t, c.do(made.ID))
		visible("x", c.published, c.found)
		a.stays(t, c.left...)
		if got := get(t, a.Store, made.ID); got != nil {
			wantPhotos(t, got, c.left...)
		}
		t.Logf("%d: %s", i, c.what)
		if err := testkit.Err(a.Delete(t.Context(), made.ID, nil)); errs.CodeOf(err) != errs.NotFound {
			testkit.Must(t, err)
		}
		a.stays(t)
		eachItem(t, a.Table(), func(it table.Item) {
			_, is := key.PhotoOf(table.Text(it, key.PK))
			testkit.Check(t, !is, "%s: a record stays: %v", c.what, it)
		})
	}
}

// A person's uploads are erased, too; a photo is not deleted twice, and not forgotten if its bytes
// cannot be deleted.
func TestPhotosAreDeletedAtLeastOnce(t *testing.T) {
	a := newAlbum(t, store.Options{})
	a.upload(t, "alice", "x", "y")
	a.upload(t, "bob", "z")
	n := 0
	testkit.Must(t, a.TracesOf(t.Context(), "alice", store.ScanOptions{}, func(_ context.Context, tr store.Trace) error {
		testkit.Check(t, tr.Kind == store.TracePhoto, "%+v", tr)
		n++
		return nil
	}))
	testkit.Check(t, n == 2, "%d traces", n)
	did := testkit.Value(a.Erase(t.Context(), store.Erasure{Subject: "alice"}))(t)
	testkit.Check(t, did.Photos == 2, "%+v", did)
	wantCode(t, testkit.Err(a.Create(t.Context(), withPhotos("alice", "x"))), errs.BadUserInput)
	a.fails = errors.New("the bucket is down")
	failed := 0
	for _, x := range index.Indexes[index.Maintained](a.Projector().Engine()) {
		if err := x.Maintain(t.Context()); err != nil {
			testkit.Fails(t, err, "the bucket is down")
			failed++
		}
	}
	testkit.Check(t, failed == 1, "%d failed", failed)
	a.fails = nil
	a.stays(t, "z")
	a.bytes = map[string]bool{photoID("x"): true} // it would go again if there were a record
	a.stays(t, "x")
}

// A moderator's removal is in the history, once.
func TestRemovedPhotosAreInTheHistory(t *testing.T) {
	a := newAlbum(t, store.Options{Moderation: moderation.Options{Mode: moderation.Post, Rules: moderation.Rules{Photos: true}}})
	a.upload(t, "alice", "x", "y", "z")
	c := mustCreate(t, a.Store, withPhotos("alice", "x", "y"))
	testkit.Check(t, c.State == item.Pending && c.Code == item.HeldByPhotos, "%+v", c)
	r := store.PhotoRemoval{ID: c.ID, PhotoID: photoID("x"), By: "mia", Reason: "a face", ExpectedVersion: new(2)}
	wantCode(t, testkit.Err(a.RemovePhoto(t.Context(), r)), errs.Conflict)
	for range 2 {
		r.ExpectedVersion = nil
		after := testkit.Value(a.RemovePhoto(t.Context(), r))(t)
		testkit.Check(t, after.Version == 2 && after.UpdatedAt.Equal(c.UpdatedAt) && after.State == item.Pending, "%+v", after)
		wantPhotos(t, &after, "y")
	}
	history := testkit.Value(a.Moderation().History(t.Context(), c.ID))(t)
	testkit.Need(t, len(history) == 2, "%+v", history)
	d := history[0]
	testkit.Check(t, d.PhotoID == photoID("x") && d.By == "mia" && d.Reason == "a face" && d.From == item.Pending && d.To == item.Pending, "%+v", d)

	testkit.Value(a.Decide(t.Context(), store.Ruling{ID: c.ID, Verb: moderation.Approve, By: "mia"}))(t)
	for _, edit := range []struct {
		change store.Change
		want   item.State
	}{
		{store.Change{Rating: new(1)}, item.Published},
		{store.Change{Photos: new(photosOf())}, item.Published},
		{store.Change{Photos: new(photosOf("z"))}, item.Pending},
	} {
		edit.change.ID, edit.change.By = c.ID, "alice"
		after := update(t, a.Store, edit.change)
		testkit.Check(t, after.State == edit.want, "%+v: %+v", edit.change, after)
	}
}
