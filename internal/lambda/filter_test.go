package lambda

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/index"
	"product-comments/store/orders"
)

// filtered returns the records that the template's filter passes, which TestWhatTheProjectorWatchesPasses
// shows to be images of watched items.
func filtered(s *store.Store, event events.DynamoDBTimeWindowEvent) events.DynamoDBTimeWindowEvent {
	watched := s.Projector().Engine().Watches()
	event.Records = slices.DeleteFunc(slices.Clone(event.Records), func(r events.DynamoDBEventRecord) bool {
		pk, sk := r.Change.Keys["PK"].String(), r.Change.Keys["SK"].String()
		return !slices.ContainsFunc(watched, func(of index.Prefix) bool {
			return strings.HasPrefix(pk, of.PK) && strings.HasPrefix(sk, of.SK)
		})
	})
	return event
}

// Comments follow their owners' orders behind the template's filter, which passes neither
// orders themselves nor what the projector writes.
func TestCommentsFollowOrdersBehindTheFilter(t *testing.T) {
	s := newTable(t)
	h := New(s.Projector(), quiet)
	ctx := t.Context()
	c := testkit.Value(s.Create(ctx, store.NewComment{ProductID: "42", Rating: 5, Language: "en", Owner: "alice"}))(t)
	at := time.Unix(1_700_000_000, 0).UTC()
	order := orders.Order{ID: "1", Username: "alice", Status: orders.Placed, Times: orders.Times{at}, Lines: []orders.Line{{ProductID: "42", Quantity: 1}}}
	_, _, err := s.RecordOrder(ctx, order)
	testkit.Need(t, err == nil, "%v", err)
	seen := 0
	follow := func(want bool) {
		t.Helper()
		event := filtered(s, eventOf(t, s))
		handle(t, h, part(event, seen, len(event.Records)))
		seen = len(event.Records)
		got, err := s.Get(ctx, c.ID)
		testkit.Check(t, err == nil && got.VerifiedPurchase != nil && *got.VerifiedPurchase == want, "got %+v, %v, want %t", got, err, want)
	}
	follow(false)
	for i, to := range []orders.Status{orders.Delivered, orders.Returned} {
		testkit.Value(s.SetOrderStatus(ctx, "1", to, at.Add(time.Duration(i+1)*time.Hour)))(t)
		follow(to == orders.Delivered)
	}
	kinds := map[string]bool{}
	for _, r := range filtered(s, eventOf(t, s)).Records {
		pk, _, _ := strings.Cut(r.Change.Keys["PK"].String(), "#")
		sk, _, _ := strings.Cut(r.Change.Keys["SK"].String(), "#")
		kinds[fmt.Sprint(pk, " ", sk)] = true
	}
	want := map[string]bool{"COMMENT COMMENT": true, "USER BOUGHT": true}
	testkit.Check(t, reflect.DeepEqual(kinds, want), "what passes is of the kinds %v, want %v", kinds, want)
}
