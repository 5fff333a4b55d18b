package outbox_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/derive/pending/names"
	"product-comments/store/outbox"
	"product-comments/store/table"
)

// known is what a receiver knows of a comment that keeps what events say.
type known struct {
	exists, visible bool
	rating          int
	reply           string
}

func truth(im *index.Image) (k known) {
	if im == nil {
		return k
	}
	k = known{exists: true, visible: im.State == item.Published, rating: im.Rating}
	if im.Reply != nil {
		k.reply = im.Reply.Text
	}
	return k
}

// hears returns what the receiver knows after an event with the comment is.
func (k known) hears(t outbox.Type, is *index.Image) known {
	if is == nil {
		return known{visible: k.visible && t != outbox.Deleted, exists: t != outbox.Deleted}
	}
	now := truth(is)
	switch t {
	case outbox.Created, outbox.Hidden:
		now.visible = false
	case outbox.Published:
		now.visible = true
	default:
		now.visible = k.visible
	}
	return now
}

// Whatever a comment was and is, a receiver that hears the events of the change knows what it is. A
// change has at most one event of a type, and what changes nothing has none.
func TestEventsSayAll(t *testing.T) {
	images := []*index.Image{nil}
	for _, state := range []item.State{item.Published, item.Pending, item.Rejected, item.Withdrawn} {
		for rating := 1; rating <= 2; rating++ {
			for reports := range 3 {
				for _, reply := range []string{"", "a", "b"} {
					im := &index.Image{}
					im.ID, im.ProductID, im.State, im.Rating, im.Reports = "1", "42", state, rating, reports
					if reply != "" {
						im.Reply = &item.Reply{Text: reply, CreatedAt: time.Unix(0, 0)}
					}
					images = append(images, im)
				}
			}
		}
	}
	for _, was := range images {
		for _, is := range images {
			c := index.Change{Sequence: "1", ID: "1", Name: "12345678", Was: was, Is: is}
			got, seen := truth(was), map[outbox.Type]bool{}
			events := outbox.Of(c)
			for _, e := range events {
				testkit.Check(t, !seen[e.Type] && e.ID != "", "%s twice", e.Type)
				seen[e.Type] = true
				got = got.hears(e.Type, is)
			}
			what := fmt.Sprintf("%+v, then %+v: %v", truth(was), truth(is), seen)
			testkit.Check(t, got == truth(is), "%s: a receiver believes %+v", what, got)
			testkit.Check(t, seen[outbox.Created] == (was == nil && is != nil) && seen[outbox.Deleted] == (was != nil && is == nil), "%s", what)
			reported := was != nil && is != nil && is.Reports > was.Reports && (was.Reports == 0 || was.State != is.State)
			testkit.Check(t, seen[outbox.Reported] == reported, "%s, %t", what, reported)
			testkit.Check(t, was != is || len(events) == 0, "nothing changed: %s", what)
			c.Name = names.Silent(rand.Reader)
			testkit.Check(t, len(outbox.Of(c)) == 0, "an import: %s", what)
		}
	}
}

// Of two processes that append to a lane at once, one has to try again: otherwise a reader could
// have passed the place of an event before that is there.
func TestOneAppendsAtATime(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.endpoint(outbox.Created)
		now := testkit.Value(x.Settings().Read(t.Context()))(t)
		var appends [][]table.Write
		for _, o := range []*outbox.Outbox{x.Outbox(), open(t, x.db, "other").Outbox()} {
			im := &index.Image{}
			im.ID, im.ProductID, im.Rating = fmt.Sprint(len(appends)), "42", 1
			change := index.Change{Sequence: "1", ID: im.ID, Is: im}
			appends = append(appends, testkit.Value(o.Append(t.Context(), now, []index.Change{change}))(t))
		}
		to := x.Projector().Table()
		testkit.Must(t, to.Transact(t.Context(), "append", appends[1]...))
		err := to.Transact(t.Context(), "append", appends[0]...)
		_, refused := table.IsRefused(err)
		testkit.Check(t, refused && len(appends[0]) == 2, "the other one: %d writes, %v", len(appends[0]), err)
	})
}
