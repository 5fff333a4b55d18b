package simulation

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"product-comments/store/derive/index"
	"product-comments/store/key"
)

// renditions are the widths of the objects of each photo.
var renditions = []int{160, 480}

// bucket has the objects of photos. Its calls fail now and then, and some of those take effect.
type bucket struct {
	h       *history
	objects map[string]map[int]bool // by photo; guarded by the model's lock
	calls   int                     // guarded by the model's lock
}

var errBucket = errors.New("the bucket answered 503")

// do makes a call for one object.
func (b *bucket) do(ctx context.Context, id string, effect func()) error {
	b.h.model.mu.Lock()
	b.calls++
	d := b.h.dice(id + itoa(b.calls))
	b.h.model.mu.Unlock()
	timer := time.NewTimer(d.duration(time.Millisecond, 300*time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	calm := b.h.isCalm()
	if !calm && d.chance(0.05) {
		return errBucket
	}
	b.h.model.mu.Lock()
	effect()
	b.h.model.mu.Unlock()
	if !calm && d.chance(0.05) {
		b.h.marks.add("an answer of the bucket was lost")
		return errBucket
	}
	return nil
}

func (b *bucket) put(ctx context.Context, id string, width int) error {
	return b.do(ctx, id, func() {
		if b.objects[id] == nil {
			b.objects[id] = map[int]bool{}
		}
		b.objects[id][width] = true
	})
}

// delete deletes the objects of a photo, one after the other.
func (b *bucket) delete(ctx context.Context, id string) error {
	for _, width := range renditions {
		if err := b.do(ctx, id, func() {
			if of := b.h.model.photoOf(id, ""); of != "" {
				b.h.fail("photos", of, "an object of the photo %s was deleted, which comment %s has", id, of)
			}
			if delete(b.objects[id], width); len(b.objects[id]) == 0 {
				delete(b.objects, id)
			}
		}); err != nil {
			return err
		}
	}
	b.h.marks.add("objects of a photo were deleted")
	return nil
}

// missing returns the objects that a photo lacks. The caller holds the model's lock.
func (b *bucket) missing(id string) []int {
	return slices.DeleteFunc(slices.Clone(renditions), func(width int) bool { return b.objects[id][width] })
}

// photosAre ends all processes, and looks at all photos when a last one has deleted what is due: there
// are those of comments, and no others.
func (h *history) photosAre() {
	if !h.config.Photos {
		return
	}
	h.killAll()
	if !h.sleep(27 * time.Hour) { // uploads without a comment are due
		return
	}
	p := h.start("function", 0)
	defer p.kill()
	ctx := context.WithValue(p.ctx, callKey{}, p.whole)
	for _, x := range index.Indexes[index.Maintained](p.store.Projector().Engine()) {
		if x.Name() != "photos" {
			continue
		}
		if err := x.Maintain(ctx); err != nil {
			h.fail("photos", "", "everything is quiet, but photos that are due are not deleted: %v", err)
		}
	}
	records := map[string]string{}
	for _, it := range h.db.Items() {
		if id, ok := key.PhotoOf(text(it, key.PK)); ok {
			records[id] = text(it, "of")
		}
	}
	h.model.mu.Lock()
	defer h.model.mu.Unlock()
	want := map[string]string{}
	for _, id := range h.model.ids {
		if s := h.model.now(id); s != nil {
			for _, photo := range idsIn(s.photos) {
				want[photo] = id
				if missing := h.bucket.missing(photo); len(missing) > 0 && h.model.knows(photo) {
					h.fail("photos", id, "everything is quiet, but comment %s lacks the objects %v of its photo %s", id, missing, photo)
				}
			}
		}
	}
	for id := range h.bucket.objects {
		if want[id] == "" {
			h.fail("photos", "", "everything is quiet, but the bucket has the photo %s, which no comment has", id)
		}
	}
	if !maps.Equal(records, want) {
		h.fail("photos", "", "everything is quiet, but the records of photos are %v, not %v", records, want)
	}
	if len(want) > 0 {
		h.marks.add("photos were compared at the end")
	}
}
