package resolvers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/orders/requests"
)

// contactOf is an input of an order of some products with a contact, as JSON.
func contactOf(id, subject string, contact map[string]any, products ...string) map[string]any {
	lines := make([]any, len(products))
	for i, p := range products {
		lines[i] = map[string]any{"productId": p, "quantity": 1}
	}
	now := time.Now().UTC()
	return map[string]any{"in": map[string]any{"orderId": id, "subject": subject, "status": "DELIVERED", "contact": contact, "lines": lines,
		"placedAt": now.Add(-time.Hour).Format(time.RFC3339), "deliveredAt": now.Add(-time.Minute).Format(time.RFC3339)}}
}

const recordOrder = `mutation($in:RecordOrderInput!){recordOrder(input:$in){order{orderId reviewRequest{state}}}}`

// ask records a delivered order of products 42 and 45 with a contact.
func (s *service) ask(t *testing.T, id, subject, email string) {
	t.Helper()
	a := s.As(apitest.Shop).Post(t, recordOrder, contactOf(id, subject, map[string]any{"email": email, "name": "Alex"}, "42", "45"))
	testkit.Equal(t, string(a.Data), fmt.Sprintf(`{"recordOrder":{"order":{"orderId":%q,"reviewRequest":{"state":"SCHEDULED"}}}}`, id), "it records %v", a.Errors)
}

func (s *service) cancelRequest(t *testing.T, id string) {
	t.Helper()
	s.As(apitest.Mia).Want(t, `mutation{cancelReviewRequest(input:{orderId:"`+id+`"}){reviewRequest{state}}}`, `{"cancelReviewRequest":{"reviewRequest":{"state":"CANCELLED"}}}`)
}

// asked gives an order of Alice's a contact, sends it the message, and fails to send the reminder.
func (s *service) asked(t *testing.T, id string) {
	t.Helper()
	o := testkit.Value(s.Store.Orders().Get(t.Context(), id))(t)
	o.Contact = &requests.Contact{Email: "alice@example.com"}
	_, _, err := s.Store.RecordOrder(t.Context(), o)
	testkit.Must(t, err)
	testkit.Value(s.Store.Requests().Schedule(t.Context(), id, time.Now()))(t)
	s.look(t, nil)
	s.look(t, errors.New("550 alice@example.com is unknown"))
}

// look lets a sender look at the requests, which are due at once. It takes no notice of comments.
func (s *service) look(t *testing.T, answer error) {
	t.Helper()
	time.Sleep(2 * time.Millisecond) // keys have microseconds
	testkit.Must(t, requests.NewSender(s.Store.Requests(), requests.Options{
		Policy: requests.Policy{After: time.Nanosecond, Reminder: time.Nanosecond}, Order: s.Store.Orders().Asked,
		Send:     func(context.Context, *requests.Asking) error { return answer },
		Answered: func(context.Context, string, []string) (map[string]bool, error) { return nil, nil },
	}).Drain(t.Context()))
}

// A request is seen as its order is; why it failed is for staff, and its address for no one.
func TestReviewRequest(t *testing.T) {
	s := serve(t)
	s.ask(t, "17", "alice", "alice@example.com")
	s.order(t, "18", "alice", "42")
	const fields = `reviewRequest{orderId order{orderId}state failure answeredCount}`
	read := func(as access.Viewer, want string) {
		t.Helper()
		s.As(as).Want(t, `{order(id:"17"){`+fields+`}}`, `{"order":`+want+`}`)
	}
	want := func(state, failure string, answered int) string {
		return fmt.Sprintf(`{"reviewRequest":{"orderId":"17","order":{"orderId":"17"},"state":%q,"failure":%s,"answeredCount":%d}}`, state, failure, answered)
	}
	read(apitest.Alice, want("SCHEDULED", "null", 0))
	read(apitest.Bob, "null")
	s.As(apitest.Bob).Want(t, fmt.Sprintf(`{node(id:%q){...on Order{%s}}}`, globalid.Of(globalid.Order, "17"), fields), `{"node":null}`)
	s.As(access.Viewer{}).WantError(t, `{order(id:"17"){`+fields+`}}`, "UNAUTHENTICATED", "")
	s.As(apitest.Alice).Want(t, `{user(id:"alice"){orders{nodes{orderId reviewRequest{state dueAt sentAt}}}}}`,
		`{"user":{"orders":{"nodes":[{"orderId":"17","reviewRequest":{"state":"SCHEDULED","dueAt":null,"sentAt":null}},{"orderId":"18","reviewRequest":null}]}}}`)

	s.look(t, nil)
	read(apitest.Alice, want("SENT", "null", 0))
	a := s.As(apitest.Alice).Post(t, `{order(id:"17"){reviewRequest{dueAt sentAt}}}`, nil)
	for _, name := range []string{"dueAt", "sentAt"} {
		at := testkit.Value(time.Parse(time.RFC3339, a.At(t, "order", "reviewRequest", name).(string)))(t)
		testkit.Check(t, time.Since(at).Abs() < time.Hour, "%s is %s", name, at)
	}
	s.look(t, errors.New("550 <ALICE@example.com> is unknown"))
	read(apitest.Alice, want("SENT", "null", 0))
	read(apitest.Mia, want("SENT", `"550 <…> is unknown"`, 0))
	s.write(t, apitest.Bob)
	read(apitest.Alice, want("SENT", "null", 0))
	s.write(t, apitest.Alice) // signed in, so the request is not written
	read(apitest.Alice, want("ANSWERED", "null", 1))
	s.As(apitest.Mia).Want(t, `{reviewRequests(filter:{state:SENT}){nodes{orderId state}}}`, `{"reviewRequests":{"nodes":[{"orderId":"17","state":"ANSWERED"}]}}`)
	a = s.As(apitest.Mia).Post(t, `{reviewRequestMonths(last:1){sentCount failedCount answeredCount}all:reviewRequestMonths{month}}`, nil)
	testkit.Check(t, strings.HasPrefix(string(a.Data), `{"reviewRequestMonths":[{"sentCount":1,"failedCount":0,"answeredCount":0}]`) && len(a.At(t, "all").([]any)) == 12, "months %s", a.Data)
	s.As(apitest.Alice).Want(t, `{order(id:"17"){reviewRequest{endedAt}}}`, `{"order":{"reviewRequest":{"endedAt":null}}}`)
	s.cancelRequest(t, "17")
	a = s.As(apitest.Alice).Post(t, `{order(id:"17"){reviewRequest{endedAt}}}`, nil)
	ended := testkit.Value(time.Parse(time.RFC3339, a.At(t, "order", "reviewRequest", "endedAt").(string)))(t)
	testkit.Check(t, time.Since(ended).Abs() < time.Hour, "it ended at %s", ended)
	testkit.Check(t, !strings.Contains(strings.ToLower(s.Log.String()), "alice@"), "the log has the address")
}

// Requests of a page of orders are read at once.
func TestReviewRequestsAreBatched(t *testing.T) {
	s := serve(t)
	for i := range 20 {
		s.ask(t, fmt.Sprint(i), "alice", "alice@example.com")
	}
	fewest := s.Batches.Fewest(func() {
		s.As(apitest.Alice).Post(t, `{user(id:"alice"){orders{nodes{reviewRequest{dueAt}}}}}`, nil)
	})
	testkit.Equal(t, fmt.Sprint(fewest), "[1 20]", "keys of each batch: the user, and the requests")
}

// Staff choose the time of a request, and end it.
func TestManagingRequests(t *testing.T) {
	s := serve(t)
	s.ask(t, "17", "", "alex@example.com")
	schedule := func(id, at string) string {
		return fmt.Sprintf(`mutation{scheduleReviewRequest(input:{orderId:%q at:%q}){reviewRequest{orderId state dueAt}}}`, id, at)
	}
	cancel := func(id string) string {
		return fmt.Sprintf(`mutation{cancelReviewRequest(input:{orderId:%q}){reviewRequest{order{orderId reviewRequest{state}}}}}`, id)
	}
	at := time.Now().UTC().Add(24 * time.Hour).Format(time.RFC3339)
	s.As(apitest.Mia).Want(t, schedule(globalid.Of(globalid.Order, "17"), at), `{"scheduleReviewRequest":{"reviewRequest":{"orderId":"17","state":"SCHEDULED","dueAt":"`+at+`"}}}`)
	s.As(apitest.Mia).WantError(t, schedule("17", "2150-01-01T00:00:00Z"), "BAD_USER_INPUT", "at")
	for _, query := range []string{schedule("none", at), cancel("none")} {
		s.As(apitest.Shop).WantError(t, query, "NOT_FOUND", "")
		s.As(apitest.Alice).WantError(t, query, "FORBIDDEN", "")
		s.As(access.Viewer{}).WantError(t, query, "UNAUTHENTICATED", "")
	}
	user := globalid.Of(globalid.User, "alice")
	for query, want := range map[string]string{
		schedule(user, "1969-01-01T00:00:00Z"):     "BAD_USER_INPUT at OUT_OF_RANGE 1969 of 1970 BAD_USER_INPUT orderId OTHER_KIND",
		cancel(""):                                 "BAD_USER_INPUT orderId REQUIRED",
		`{reviewRequestMonths(last:101){month}}`:   "BAD_USER_INPUT last OUT_OF_RANGE 101 of 100",
		`{reviewRequests(first:-1){nodes{state}}}`: "BAD_USER_INPUT first OUT_OF_RANGE -1 of 0",
	} {
		testkit.Equal(t, strings.Join(problemsOf(s.As(apitest.Mia).Post(t, query, nil)), " "), want, "%s", query)
	}
	for range 2 {
		s.As(apitest.Shop).Want(t, cancel("17"), `{"cancelReviewRequest":{"reviewRequest":{"order":{"orderId":"17","reviewRequest":{"state":"CANCELLED"}}}}}`)
	}
	s.As(apitest.Mia).WantError(t, schedule("17", at), "CONFLICT", "")
}

// Contacts that no mail can have are refused by field, and none is in a message or the log.
func TestContacts(t *testing.T) {
	s := serve(t)
	long := strings.Repeat("x", 308) + "@example.com"
	for i, c := range []struct {
		contact map[string]any
		want    string
	}{
		{map[string]any{"email": "secret@example.com\r\nBcc: all@example.com"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": "secret@example.com\n"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": `"secret\" x"@example.com`}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": `Secret <secret@example.com>`}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": `secret@example.com, all@example.com`}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": "sécret@example.com"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": "secret@example.com\u202e"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": "secret@[127.0.0.1]"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": ""}, "contact.email REQUIRED"},
		{map[string]any{"email": "@"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": "secret@example.com@example.com"}, "contact.email WRONG_TYPE"},
		{map[string]any{"email": long}, "contact.email TOO_LONG 320 of 254"},
		{map[string]any{"email": "", "name": "A\r\nBcc: all@example.com", "language": "secret!"}, "contact.email REQUIRED BAD_USER_INPUT contact.language NOT_A_LANGUAGE BAD_USER_INPUT contact.name BAD_CHARACTER"},
		{map[string]any{"email": "secret@example.com", "name": strings.Repeat("ü", 101)}, "contact.name TOO_LONG 101 of 100"},
		{map[string]any{"name": "A"}, "contact.email REQUIRED"},
		{map[string]any{"email": nil}, "contact.email REQUIRED"},
	} {
		a := s.As(apitest.Shop).Post(t, recordOrder, contactOf(fmt.Sprint("bad", i), "", c.contact, "42"))
		testkit.Equal(t, strings.Join(problemsOf(a), " "), "BAD_USER_INPUT "+c.want, "%q", c.contact)
		for _, e := range a.Errors {
			testkit.Check(t, !strings.Contains(e.Message, "secret@"), "%q repeats the address", e.Message)
		}
	}
	user := globalid.Of(globalid.User, "alice")
	testkit.Equal(t, strings.Join(problemsOf(s.As(apitest.Shop).Post(t, recordOrder, contactOf(user, "", map[string]any{"email": "x"}, "42"))), " "),
		"BAD_USER_INPUT contact.email WRONG_TYPE BAD_USER_INPUT orderId OTHER_KIND", "problems")
	products := make([]string, 49)
	for i := range products {
		products[i] = fmt.Sprint(i)
	}
	a := s.As(apitest.Shop).Post(t, recordOrder, contactOf("many", "", map[string]any{"email": "secret@example.com"}, products...))
	testkit.Equal(t, strings.Join(problemsOf(a), " "), "BAD_USER_INPUT lines TOO_MANY 49 of 48", "lines")
	for i, c := range []map[string]any{
		{"email": "secret.o'neil+tag=1@sub.example.com", "name": `Zoë "Z" <b>O’Neil</b> 山田`, "language": "DE-ch"},
		{"email": strings.Repeat("x", 64) + "@" + strings.Repeat("y.", 89) + "example.com", "name": "", "language": nil},
		{"email": "secret@example.com", "name": strings.Repeat("ü", 100), "language": ""},
	} {
		a := s.As(apitest.Shop).Post(t, recordOrder, contactOf(fmt.Sprint(i), "", c, products[:48]...))
		testkit.Need(t, len(a.Errors) == 0, "%v: %v", c, a.Errors)
		got := s.contact(t, fmt.Sprint(i))
		testkit.Equal(t, got.Email, c["email"].(string), "the address")
		testkit.Equal(t, got.Name, c["name"].(string), "the name")
		testkit.Equal(t, got.Language, map[int]string{0: "de-CH"}[i], "the language")
	}
	testkit.Check(t, !strings.Contains(s.Log.String(), "secret"), "the log has an address: %s", s.Log)
}

func (s *service) contact(t *testing.T, id string) requests.Contact {
	t.Helper()
	all := s.Store.Requests()
	c, ok, err := all.Open(testkit.Value(all.Get(t.Context(), id))(t))
	testkit.Need(t, ok && err == nil, "order %s has the contact %v, %v", id, c, err)
	return c
}

// Of two contacts that are recorded at once one is kept, in one request.
func TestTwoContactsAtOnce(t *testing.T) {
	s := serve(t)
	input := func(email string) map[string]any {
		return contactOf("17", "", map[string]any{"email": email}, "42", "45")
	}
	first, other := input("one@example.com"), input("two@example.com")
	other["in"].(map[string]any)["placedAt"] = first["in"].(map[string]any)["placedAt"]
	for round := range 5 {
		var both sync.WaitGroup
		for _, in := range []map[string]any{first, other} {
			both.Go(func() {
				a := s.As(apitest.Shop).Post(t, recordOrder, in)
				testkit.Check(t, len(a.Errors) == 0, "round %d: %v", round, a.Errors)
			})
		}
		both.Wait()
		email := s.contact(t, "17").Email
		testkit.Check(t, email == "one@example.com" || email == "two@example.com", "the contact is %q", email)
		page := testkit.Value(s.Store.Requests().List(t.Context(), requests.Filter{}, list.Window[key.Position]{Limit: 10}))(t)
		testkit.Equal(t, len(page.Items), 1, "requests")
	}
	s.As(apitest.Shop).Want(t, `mutation{setOrderStatus(input:{id:"17",status:RETURNED,at:"2026-01-01T00:00:00Z"}){order{reviewRequest{state}}}}`,
		`{"setOrderStatus":{"order":{"reviewRequest":{"state":"CANCELLED"}}}}`)
	a := s.As(apitest.Shop).Post(t, recordOrder, first)
	testkit.Equal(t, string(a.Data), `{"recordOrder":{"order":{"orderId":"17","reviewRequest":{"state":"CANCELLED"}}}}`, "a request that has ended begins again")
}
