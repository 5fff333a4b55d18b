package resolvers_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/storetest"
)

// invite returns the token of an invitation, which the shop makes.
func (s *service) invite(t *testing.T, order, product string) string {
	t.Helper()
	a := s.As(apitest.Shop).Post(t, fmt.Sprintf(`mutation{createInvitation(input:{orderId:%q,productId:%q}){invitation{token}}}`, order, product), nil)
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	return a.At(t, "createInvitation", "invitation", "token").(string)
}

// guestOrder records an order of products 42 and 43 without a person.
func (s *service) guestOrder(t *testing.T, id string) {
	t.Helper()
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,placedAt:"2026-01-01T10:00:00Z",lines:[{productId:"42",quantity:1},{productId:"43",quantity:1}]}){order{user{subject}}}}`, id),
		fmt.Sprintf(`{"recordOrder":{"order":{"user":{"subject":"guest:%s"}}}}`, id))
}

// createBy is a comment by an invitation.
func createBy(token, more string) string {
	return fmt.Sprintf(`mutation{createComment(input:{rating:4,language:"en",title:"mine",invitation:%q%s}){comment{id commentId verifiedPurchase state product{productId}}}}`, token, more)
}

func TestCreateInvitation(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Reviews = &reviews.Options{Address: "https://reviews.example"} })
	s.guestOrder(t, "17")
	a := s.As(apitest.Shop).Post(t, `mutation{createInvitation(input:{orderId:"17",productId:"43",expiresAt:"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}){invitation{token url expiresAt product{productId}comment{id}others{product{productId}others{product{productId}}}}}}`, nil)
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	i := a.At(t, "createInvitation", "invitation").(map[string]any)
	testkit.Equal(t, i["url"], any("https://reviews.example/write/"+i["token"].(string)), "url")
	testkit.Equal(t, fmt.Sprint(i["product"], i["comment"], i["others"]), "map[productId:43] <nil> [map[others:[map[product:map[productId:43]]] product:map[productId:42]]]", "it")
	for _, c := range []struct{ input, code, field string }{
		{`orderId:"18",productId:"42"`, "NOT_FOUND", ""},
		{`orderId:"17",productId:"44"`, "BAD_USER_INPUT", "productId"},
		{`orderId:"17",productId:"42",expiresAt:"2026-01-01T00:00:00Z"`, "BAD_USER_INPUT", "expiresAt"},
		{`orderId:"17",productId:"42",expiresAt:"2100-01-01T00:00:00Z"`, "BAD_USER_INPUT", "expiresAt"},
		{`orderId:"",productId:"42"`, "BAD_USER_INPUT", "orderId"},
	} {
		s.As(apitest.Shop).WantError(t, `mutation{createInvitation(input:{`+c.input+`}){invitation{token}}}`, c.code, c.field)
	}
	s.WantError(t, `mutation{createInvitation(input:{orderId:"17",productId:"42"}){invitation{token}}}`, "FORBIDDEN", "") // a moderator
}

// An invitation permits its one comment, and to read and change it; without it and with it nothing else
// is permitted.
func TestInvitations(t *testing.T) {
	s := serve(t)
	s.guestOrder(t, "17")
	token, other, visitor := s.invite(t, "17", "42"), s.invite(t, "17", "43"), s.As(apitest.Anonymous)
	visitor.WantError(t, createBy(token, `,productId:"43"`), "BAD_USER_INPUT", "productId")
	a := visitor.Post(t, createBy(token, `,productId:"42"`), nil)
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	c := a.At(t, "createComment", "comment").(map[string]any)
	testkit.Equal(t, fmt.Sprintf("%v %v %v", c["verifiedPurchase"], c["state"], c["product"]), "true PUBLISHED map[productId:42]", "comment")
	for _, viewer := range []*apitest.Service{visitor, s.As(apitest.Alice), s.As(apitest.Mia), s.As(apitest.Shop)} { // who sends it does not matter
		got := viewer.WantError(t, createBy(token, ""), "CONFLICT", "")
		testkit.Equal(t, got.Errors[0].Extensions["commentId"], c["id"], "commentId")
	}
	read := fmt.Sprintf(`{invitation(token:%q){url comment{title viewerCanUpdate viewerCanDelete}others{product{productId}}}}`, token)
	visitor.Want(t, read, `{"invitation":{"url":null,"comment":{"title":"mine","viewerCanUpdate":false,"viewerCanDelete":false},"others":[{"product":{"productId":"43"}}]}}`)
	update := func(id any, token string) string {
		return fmt.Sprintf(`mutation{updateComment(input:{id:%q,title:"changed",invitation:%q}){comment{title}}}`, id, token)
	}
	visitor.Want(t, update(c["id"], token), `{"updateComment":{"comment":{"title":"changed"}}}`)
	s.Fill(t, apitest.Comments(1)...)
	for _, id := range []any{"c000", "none"} {
		visitor.WantError(t, update(id, token), map[any]string{"c000": "FORBIDDEN", "none": "NOT_FOUND"}[id], "")
	}
	visitor.WantError(t, update(c["id"], other), "FORBIDDEN", "")
	s.As(apitest.Mia).WantError(t, update(c["id"], other), "FORBIDDEN", "") // it does not add to a role
	// It is no bearer token.
	for _, query := range []string{`{viewer{subject}}`, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, c["id"])} {
		got := visitor.Send(t, "POST", "/graphql", fmt.Appendf(nil, `{"query":%q}`, query), "Content-Type", "application/json", "Authorization", "Bearer "+token)
		testkit.Equal(t, got.Errors[0].Extensions["code"], any("UNAUTHENTICATED"), "as a bearer token")
	}
	for _, mutation := range []string{`deleteComment(input:{id:%q}){deletedId}`, `withdrawComment(input:{id:%q}){comment{id}}`, `reportComment(input:{id:%q}){comment{id}}`} {
		visitor.WantError(t, "mutation{"+fmt.Sprintf(mutation, c["id"])+"}", "UNAUTHENTICATED", "")
	}
	// Deleted, it cannot be written again.
	s.As(apitest.Mia).Want(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, c["id"]), fmt.Sprintf(`{"deleteComment":{"deletedId":%q}}`, c["id"]))
	got := visitor.WantError(t, createBy(token, ""), "CONFLICT", "")
	testkit.Equal(t, got.Errors[0].Extensions["reason"], any("invitation_used"), "reason")
	visitor.WantError(t, update(c["id"], token), "NOT_FOUND", "")
}

// Of several comments of a person the invitation permits changes of its own.
func TestAnInvitationChangesItsCommentOnly(t *testing.T) {
	s := serve(t)
	s.order(t, "18", "alice", "42")
	token := s.invite(t, "18", "42")
	a := s.As(apitest.Anonymous).Post(t, createBy(token, ""), nil)
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	later := s.write(t, apitest.Alice)
	update := `mutation{updateComment(input:{id:%q,title:"changed",invitation:%q}){comment{title}}}`
	s.As(apitest.Anonymous).WantError(t, fmt.Sprintf(update, later, token), "FORBIDDEN", "")
	s.As(apitest.Anonymous).Want(t, fmt.Sprintf(update, a.At(t, "createComment", "comment", "id"), token), `{"updateComment":{"comment":{"title":"changed"}}}`)
}

// A comment by an invitation waits for moderators as any other, and so does its change.
func TestInvitedCommentsAreModerated(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{Moderation: moderation.Options{Mode: moderation.Pre}})
	})
	s.guestOrder(t, "17")
	token := s.invite(t, "17", "42")
	a := s.As(apitest.Mia).Post(t, createBy(token, ""), nil) // she is not trusted as the guest
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	testkit.Equal(t, a.At(t, "createComment", "comment", "state"), any("PENDING"), "state")
	s.As(apitest.Anonymous).Want(t, fmt.Sprintf(`{invitation(token:%q){comment{title state heldBy}}product(id:"42"){comments{nodes{id}}}}`, token),
		`{"invitation":{"comment":{"title":"mine","state":"PENDING","heldBy":"MODE"}},"product":{"comments":{"nodes":[]}}}`)
}

// Wrong invitations say what is wrong, for programs and people.
func TestWrongInvitations(t *testing.T) {
	s := serve(t)
	s.guestOrder(t, "17")
	s.order(t, "18", "alice", "42")
	token := s.invite(t, "17", "42")
	make := func(secret []byte, i invitations.Invitation) string {
		return testkit.Value(testkit.Value(invitations.New(secret))(t).Token(i))(t)
	}
	valid := invitations.Invitation{OrderID: "17", ProductID: "42", Subject: "guest:17", Expires: time.Now().Add(time.Hour)}
	expired, unknown, stolen := valid, valid, valid
	expired.Expires = time.Now().Add(-time.Second)
	unknown.OrderID = "19"
	stolen.Subject = "alice" // as after an erasure: the order is another person's
	ours := bytes.Repeat([]byte{0}, cursor.MinSecret)
	for name, c := range map[string]struct{ token, code, field, reason string }{
		"edited":               {"A" + token[1:], "BAD_USER_INPUT", "invitation", "NOT_AN_INVITATION"},
		"cut":                  {token[:len(token)-1], "BAD_USER_INPUT", "invitation", "NOT_AN_INVITATION"},
		"another deployment's": {make(bytes.Repeat([]byte{7}, cursor.MinSecret), valid), "BAD_USER_INPUT", "invitation", "NOT_AN_INVITATION"},
		"very long":            {strings.Repeat("A", 100_000), "BAD_USER_INPUT", "invitation", "NOT_AN_INVITATION"},
		"expired":              {make(ours, expired), "BAD_USER_INPUT", "invitation", "EXPIRED"},
		"of an unknown order":  {make(ours, unknown), "NOT_FOUND", "", ""},
		"of another person":    {make(ours, stolen), "NOT_FOUND", "", ""},
	} {
		for _, query := range []string{createBy(c.token, ""), fmt.Sprintf(`mutation{updateComment(input:{id:"c",rating:1,invitation:%q}){comment{id}}}`, c.token)} {
			a := s.As(apitest.Anonymous).WantError(t, query, c.code, c.field)
			reason, _ := a.Errors[0].Extensions["reason"].(string)
			testkit.Equal(t, reason, c.reason, name)
		}
	}
	s.As(apitest.Anonymous).WantError(t, `mutation{createComment(input:{rating:4,language:"en",invitation:""}){comment{id}}}`, "UNAUTHENTICATED", "")
	s.As(apitest.Alice).WantError(t, `mutation{createComment(input:{rating:4,language:"en"}){comment{id}}}`, "BAD_USER_INPUT", "productId")
}

// Guesses use up a client's budget of failures, so that few of many are tried; a right invitation costs
// nothing of it.
func TestGuessesOfInvitations(t *testing.T) {
	budget := admission.NewBudget(20, nil)
	s := serve(t, func(c *httpapi.Config) { c.Limits.FailureBudget, c.Limits.Local = budget, true })
	s.guestOrder(t, "17")
	token, visitor := s.invite(t, "17", "42"), s.As(apitest.Anonymous)
	read := func(token string) string { return fmt.Sprintf(`{invitation(token:%q){expiresAt}}`, token) }
	for range 50 {
		testkit.Equal(t, len(visitor.Post(t, read(token), nil).Errors), 0, "errors of a right one")
	}
	codes := map[any]int{}
	for n := 0; n < 10_000; n += 100 {
		var q strings.Builder
		for i := range 100 {
			fmt.Fprintf(&q, `a%d:invitation(token:"%s%04d"){expiresAt}`, i, token[:len(token)-4], n+i)
		}
		for _, e := range visitor.Post(t, "{"+q.String()+"}", nil).Errors {
			codes[e.Extensions["code"]]++
		}
	}
	testkit.Check(t, codes["BAD_USER_INPUT"] >= 20 && codes["BAD_USER_INPUT"] < 200 && codes["RATE_LIMITED"] > 9_000, "%v", codes)
	a := visitor.WantError(t, read(token), "RATE_LIMITED", "")
	testkit.Check(t, a.Errors[0].Extensions["retryAfter"] != nil, "%+v", a.Errors)
}
