package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"product-comments/store"
	items "product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// uploading is the upload of a photo by a person.
type uploading struct{ ID, By string }

// upload uploads a photo.
func upload(a *act) {
	var bits [16]byte
	for i := range bits {
		bits[i] = byte(a.IntN(256))
	}
	a.uploads(uploading{photo.IDOf(bits), a.owner()})
}

// simulated is how every photo is.
var simulated = items.Photo{Width: 500, Height: 400, Placeholder: "8ac9bd676442"}

// uploads uploads a photo as a server does: first its record, and then its objects. Without an answer
// the person does not know its id.
func (a *act) uploads(u uploading) {
	defer a.as(&u.By)()
	c, ctx := a.begin("upload", u)
	p := simulated
	p.ID = u.ID
	err := a.server.store.UploadedPhoto(ctx, p, u.By)
	stored := err == nil
	for _, width := range renditions {
		if stored && err == nil {
			err = a.bucket.put(ctx, u.ID, width)
		}
	}
	if stored && err != nil {
		_ = a.bucket.delete(ctx, u.ID)
		a.end(c, err, "not stored")
		return
	}
	a.end(c, err, "")
	if err != nil {
		a.tolerable(c, err)
		return
	}
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	a.model.uploaded = append(a.model.uploaded, uploadedPhoto{u.ID, u.By, c.began})
}

// uploadedPhoto is a photo whose id its person knows.
type uploadedPhoto struct {
	id, by string
	at     time.Time
}

// photos draws photos for a comment: of those that the person uploaded most often, and that it has.
func (a *act) photos(by, has string) []store.Photo {
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	all := []store.Photo{}
	add := func(id string) {
		if !slices.ContainsFunc(all, func(p store.Photo) bool { return p.ID == id }) && len(all) < 4 {
			all = append(all, store.Photo{ID: id, Description: fmt.Sprintf("%04x", a.IntN(1<<16))})
		}
	}
	for _, id := range idsIn(has) {
		if a.chance(0.6) {
			add(id)
		}
	}
	for _, u := range slices.Backward(a.model.uploaded) {
		if u.by == by && a.chance(0.5) || a.chance(0.03) {
			add(u.id)
		}
	}
	return all
}

// photosText is how a state spells photos.
func photosText(photos []items.Photo) string {
	var b strings.Builder
	for _, p := range photos {
		fmt.Fprintf(&b, "%s %d×%d %s %q\n", p.ID, p.Width, p.Height, p.Placeholder, p.Description)
	}
	return b.String()
}

// complete returns photos as a comment has them that was given their ids and descriptions.
func complete(given []store.Photo) string {
	var all []items.Photo
	for _, g := range given {
		p := simulated
		p.ID, p.Description = g.ID, g.Description
		all = append(all, p)
	}
	return photosText(all)
}

// idsIn returns the ids of photos as a state spells them.
func idsIn(photos string) (ids []string) {
	for line := range strings.Lines(photos) {
		id, _, _ := strings.Cut(line, " ")
		ids = append(ids, id)
	}
	return ids
}

// refusedPhotos reports whether a write may be refused because of a photo: one that its person has not
// uploaded within a day, or that a comment has or had.
func (a *act) refusedPhotos(c *call, photos []store.Photo, by, id string) bool {
	if code := errs.CodeOf(c.err); code != errs.BadUserInput && code != errs.Conflict || len(c.effects()) > 0 {
		return false
	}
	a.history.mu.Lock()
	_, erased := a.erasures[by]
	a.history.mu.Unlock()
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	for _, p := range photos {
		i := slices.IndexFunc(a.model.uploaded, func(u uploadedPhoto) bool { return u.id == p.ID && u.by == by })
		has := !slices.ContainsFunc(a.model.during(id, c.began, time.Now()), func(s *state) bool {
			return s == nil || !slices.Contains(idsIn(s.photos), p.ID)
		})
		if !has && (i < 0 || erased || a.model.taken[p.ID] || time.Since(a.model.uploaded[i].at) > 23*time.Hour) {
			a.marks.add("a photo was refused")
			return true
		}
	}
	return false
}

// removePhoto removes a photo of a comment, as a moderator.
func removePhoto(a *act) {
	r := store.PhotoRemoval{ID: a.model.someID(a), By: a.someone("moderator", 1), Reason: a.words()}
	for _, s := range a.model.all() {
		if s.photos != "" && a.chance(0.4) {
			r.ID, r.PhotoID = s.id, idsIn(s.photos)[0]
		}
	}
	if r.PhotoID != "" {
		a.removesPhoto(r)
	}
}

func (a *act) removesPhoto(r store.PhotoRemoval) {
	defer a.as(&r.By)()
	_, effects := a.does(deed{
		verb: "remove photo", args: r, id: r.ID,
		refuses: func(*state) bool { return false },
		makes: func(is, _ *state) {
			is.version++
			is.photos = strings.Join(slices.DeleteFunc(slices.Collect(strings.Lines(is.photos)), func(l string) bool { return strings.HasPrefix(l, r.PhotoID) }), "")
		},
		do: func(ctx context.Context) (store.Comment, error) { return a.server.store.RemovePhoto(ctx, r) },
	})
	if effects == 1 {
		a.marks.add("a moderator removed a photo")
	}
}

// photographed takes a change of a comment: its photos have their objects, and no other comment has
// them. The caller holds the lock.
func (m *model) photographed(mo *moment) {
	if mo.after == nil {
		return
	}
	for _, id := range idsIn(mo.after.photos) {
		if missing := m.h.bucket.missing(id); len(missing) > 0 && m.knows(id) {
			m.h.fail("photos", mo.id, "%s gave comment %s the photo %s, which lacks the objects %v", mo.by, mo.id, id, missing)
		}
		if of := m.photoOf(id, mo.id); of != "" {
			m.h.fail("photos", mo.id, "%s gave comment %s the photo %s of comment %s", mo.by, mo.id, id, of)
		}
		m.taken[id] = true
	}
	switch {
	case mo.after.photos == "":
	case mo.before == nil:
		m.h.marks.add("a comment was created with photos")
	case mo.before.photos != mo.after.photos:
		m.h.marks.add("a comment got other photos")
	}
}

// knows reports whether a person knows a photo's id. In a history that is played again, a comment may
// name a photo before its upload is answered, which no person can. The caller holds the lock.
func (m *model) knows(id string) bool {
	return slices.ContainsFunc(m.uploaded, func(u uploadedPhoto) bool { return u.id == id })
}

// photoOf returns a comment that has a photo, other than one. The caller holds the lock.
func (m *model) photoOf(id, other string) string {
	for _, of := range m.ids {
		if s := m.now(of); s != nil && of != other && strings.Contains(s.photos, id) {
			return of
		}
	}
	return ""
}
