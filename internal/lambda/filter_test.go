package lambda

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"product-comments/deploy"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/orders"
)

// matches reports whether an event's record has what a pattern of a filter wants, as
// Lambda does: all members of an object, and one of a list.
func matches(t testing.TB, pattern, record any) bool {
	t.Helper()
	switch want := pattern.(type) {
	case map[string]any:
		has, _ := record.(map[string]any)
		for name, of := range want {
			if !matches(t, of, has[name]) {
				return false
			}
		}
		return true
	case []any:
		text, isText := record.(string)
		for _, one := range want {
			switch one := one.(type) {
			case string:
				if isText && text == one {
					return true
				}
			case map[string]any:
				prefix, ok := one["prefix"].(string)
				testkit.Need(t, ok && len(one) == 1, "the test knows no condition %v", one)
				if isText && strings.HasPrefix(text, prefix) {
					return true
				}
			}
		}
		return false
	default:
		t.Fatalf("the test knows no pattern %v", pattern)
		return false
	}
}

// filtered is what passes the filters of the template.
func filtered(t testing.TB, event events.DynamoDBTimeWindowEvent) events.DynamoDBTimeWindowEvent {
	t.Helper()
	template := testkit.Value(deploy.Read())(t)
	patterns := testkit.Value(template.Filters(deploy.Projecting))(t)
	parsed := func(of []byte) (out any) {
		t.Helper()
		testkit.Must(t, json.Unmarshal(of, &out))
		return out
	}
	var passing []events.DynamoDBEventRecord
	for _, r := range event.Records {
		raw := testkit.Value(json.Marshal(r))(t)
		for _, pattern := range patterns {
			if matches(t, parsed([]byte(pattern)), parsed(raw)) {
				passing = append(passing, r)
				break
			}
		}
	}
	event.Records = passing
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
		event := filtered(t, eventOf(t, s))
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
	for _, r := range filtered(t, eventOf(t, s)).Records {
		pk, _, _ := strings.Cut(r.Change.Keys["PK"].String(), "#")
		sk, _, _ := strings.Cut(r.Change.Keys["SK"].String(), "#")
		kinds[fmt.Sprint(pk, " ", sk)] = true
	}
	want := map[string]bool{"COMMENT COMMENT": true, "USER BOUGHT": true}
	testkit.Check(t, reflect.DeepEqual(kinds, want), "what passes is of the kinds %v, want %v", kinds, want)
}
