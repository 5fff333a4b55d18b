package webhook

import (
	"strings"
	"testing"
	"time"

	"product-comments/internal/delivery/links"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
	"product-comments/store/key/invitations"
	"product-comments/store/key/sealed"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
)

// An event about a request names no address, but the one that it is due, while there is a message.
func TestRequestBodies(t *testing.T) {
	l := &links.Links{Invitations: testkit.Value(invitations.New(make([]byte, sealed.MinSecret)))(t), Address: "https://reviews.shop.example"}
	due := time.Date(2026, 7, 19, 9, 0, 0, 0, time.UTC)
	q := &requests.Request{OrderID: "17", State: requests.Scheduled, Due: due, Contact: []byte("sealed")}
	a := &requests.Asking{ID: "id", Request: *q, To: requests.Contact{Email: "alex@example.com"}, Subject: key.Guest("17"),
		Products: []string{"42"}, Until: due.Add(requests.Valid), OptOut: "token"}
	for name, c := range map[string]struct {
		of   outbox.Type
		q    *requests.Request
		a    *requests.Asking
		want string
	}{
		"due":    {outbox.RequestDue, q, a, `{"orderId":"17","state":"SCHEDULED","reminder":false,"dueAt":"2026-07-19T09:00:00Z","messageId":"id","contact":{"email":"alex@example.com"},"products":[{"productId":"42","url":"https://reviews.shop.example/write/TOKEN"}],"optOutUrl":"https://reviews.shop.example/unsubscribe/token"}`},
		"ended":  {outbox.RequestDue, &requests.Request{State: requests.Cancelled}, nil, `{"orderId":"17","state":"CANCELLED","reminder":false}`},
		"erased": {outbox.RequestDue, nil, nil, `{"orderId":"17","reminder":false}`},
		"sent":   {outbox.RequestSent, q, a, `{"orderId":"17","state":"SCHEDULED","reminder":false,"dueAt":"2026-07-19T09:00:00Z"}`},
		"failed": {outbox.RequestFailed, &requests.Request{State: requests.Failed, Failure: "550 no such user"}, nil, `{"orderId":"17","state":"FAILED","reminder":false,"failure":"550 no such user"}`},
	} {
		e := &outbox.Event{Type: c.of, Order: "17", At: key.Position{CreatedAt: due}}
		about := testkit.Value(About(e, c.q, c.a, l))(t)
		got := string(Body(e, about))
		if c.a != nil {
			token := testkit.Value(l.Invitations.Token(invitations.Invitation{OrderID: "17", ProductID: "42", Subject: key.Guest("17"), Expires: a.Until}))(t)
			c.want = strings.Replace(c.want, "TOKEN", token, 1)
		}
		want := `{"type":"` + string(c.of) + `","timestamp":"2026-07-19T09:00:00Z","data":{"version":1784451600000000,"request":` + c.want + `}}`
		testkit.Equal(t, got, want, "%s", name)
	}
}
