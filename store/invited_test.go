package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/orders"
)

// invited is a comment that an invitation permits.
func invited(owner string) store.NewComment {
	n := by(owner)
	n.InvitedUntil, n.Bought = time.Now().Add(time.Hour), true
	return n
}

// wantUsed fails the test unless an invitation is refused because of a comment.
func wantUsed(t *testing.T, s *store.Store, n store.NewComment, id, reason string) {
	t.Helper()
	_, err := s.Create(t.Context(), n)
	var e *errs.Error
	testkit.Check(t, errors.As(err, &e) && e.Code == errs.Conflict && e.CommentID == id && e.Reason == reason, "want a conflict with %s: %v", id, err)
}

// An invitation permits one comment, whatever becomes of it.
func TestAnInvitationPermitsOneComment(t *testing.T) {
	s, _ := newStore(t)
	n := invited("alice")
	n.IdempotencyKey = "k"
	c := mustCreate(t, s, n)
	testkit.Check(t, c.IsVerified(), "it is not verified")
	again := mustCreate(t, s, n)
	testkit.Equal(t, again.ID, c.ID, "repeated with its key it is")
	wantUsed(t, s, invited("alice"), c.ID, "")
	mustCreate(t, s, invited("bob"))
	later := mustCreate(t, s, by("alice"))
	got, err := s.Invited(t.Context(), "alice", "42")
	testkit.Check(t, err == nil && got != nil && got.ID == c.ID, "she also wrote %s, and the invitation is for %+v, %v", later.ID, got, err)
	remove(t, s, later.ID)
	remove(t, s, c.ID)
	wantUsed(t, s, invited("alice"), c.ID, "invitation_used")
	got, err = s.Invited(t.Context(), "alice", "42")
	testkit.Check(t, err == nil && got == nil, "the invitation is for %+v, %v", got, err)
}

// What a person wrote before counts, too.
func TestAnInvitationAfterAComment(t *testing.T) {
	s, _ := newStore(t)
	c := mustCreate(t, s, by("alice"))
	wantUsed(t, s, invited("alice"), c.ID, "")
	got, err := s.Invited(t.Context(), "alice", "42")
	testkit.Check(t, err == nil && got != nil && got.ID == c.ID, "%+v, %v", got, err)
	for _, of := range [][2]string{{"bob", "42"}, {"alice", "43"}} {
		got, err = s.Invited(t.Context(), of[0], of[1])
		testkit.Check(t, err == nil && got == nil, "%v: %+v, %v", of, got, err)
	}
}

// Of concurrent uses of an invitation, at two servers, one writes, and the others get its comment.
func TestConcurrentInvitations(t *testing.T) {
	s, client := newStore(t)
	other := storeOn(t, client, s.Table())
	for _, owner := range []string{"ann", "ben", "cem", "dan", "eve", "fay", "gil", "hal"} {
		var wait sync.WaitGroup
		made, named := make([]string, 4), make([]string, 4)
		for i := range made {
			wait.Go(func() {
				c, err := []*store.Store{s, other}[i%2].Create(t.Context(), invited(owner))
				var e *errs.Error
				if errors.As(err, &e) {
					named[i] = e.CommentID
				}
				made[i] = c.ID
			})
		}
		wait.Wait()
		ids := wrote(t, s, owner, "42")
		testkit.Need(t, len(ids) == 1, "%s wrote %q", owner, ids)
		for i := range made {
			testkit.Check(t, made[i]+named[i] == ids[0], "%s: made %q, the conflicts name %q", owner, made, named)
		}
	}
}

// A comment of an order that is not delivered stays verified; of a delivered one it follows the order.
func TestInvitedPurchases(t *testing.T) {
	s, _ := newStore(t)
	order := func(id string, status orders.Status) {
		o := orders.Order{ID: id, Status: status, Lines: []orders.Line{{ProductID: "42", Quantity: 1}}}
		o.Times[0] = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		_, _, err := s.RecordOrder(t.Context(), o)
		testkit.Must(t, err)
	}
	for id, status := range map[string]orders.Status{"shipped": orders.Shipped, "delivered": orders.Delivered} {
		order(id, status)
		c := mustCreate(t, s, invited("guest:"+id))
		testkit.Check(t, c.IsVerified(), "%s: it is not verified", id)
		testkit.Value(s.SetOrderStatus(t.Context(), id, orders.Returned, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)))(t)
		project(t, s)
		testkit.Equal(t, get(t, s, c.ID).IsVerified(), id == "shipped", "the order was %s, then returned: verified", id)
	}
}
