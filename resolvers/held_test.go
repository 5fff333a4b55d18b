package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
)

// moderate makes comments about the product 42 wait for a moderator.
func (s *service) moderate(t *testing.T) {
	t.Helper()
	testkit.Must(t, s.Store.Moderation().SetMode(t.Context(), "42", new(moderation.Pre)))
	s.write(t, apitest.Bob) // the first write reads that products have modes of their own
}

// An edge is for the public list, so a comment that waits has none until a repetition finds it
// published.
func TestAPendingCommentHasNoEdge(t *testing.T) {
	s := serve(t)
	s.moderate(t)
	const create = `mutation{createComment(input:{productId:"42",rating:5,language:"en",idempotencyKey:"k"}){comment{commentId state} commentEdge{node{commentId}}}}`
	alice := s.As(apitest.Alice)
	a := alice.Post(t, create, nil)
	id := a.At(t, "createComment", "comment", "commentId")
	testkit.Check(t, a.At(t, "createComment", "comment", "state") == "PENDING" && a.At(t, "createComment", "commentEdge") == nil && len(a.Errors) == 0, "%s %v", a.Data, a.Errors)
	s.Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, id), nil)
	alice.Want(t, create, fmt.Sprintf(`{"createComment":{"comment":{"commentId":%q,"state":"PUBLISHED"},"commentEdge":{"node":{"commentId":%[1]q}}}}`, id))
	s.Want(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){commentEdge{node{state}}}}`,
		`{"createComment":{"commentEdge":{"node":{"state":"PUBLISHED"}}}}`) // a moderator's
}

// Authors read what holds their comment as a code, and never what the shop blocks. Moderators
// read the sentence, too.
func TestHoldReasons(t *testing.T) {
	s := serve(t)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		why  item.Why
		says string
	}{
		{item.Why{Code: item.HeldByMode}, "it is new"},
		{item.Why{Code: item.HeldByEdit}, "it was edited"},
		{item.Why{Code: item.HeldByReports}, "it was reported"},
		{item.Why{Code: item.HeldByLink}, "it has a link"},
		{item.Why{Code: item.HeldByWord, Reason: "cheapwatches"}, "it has a blocked word: cheapwatches"},
		{item.Why{Code: item.HeldByPace, Reason: "3"}, "its author wrote more comments within an hour than the limit: 3"},
		{item.Why{Code: item.HeldByCharacters}, "it has too many characters, such as ligatures, that stand for several others"},
		{item.Why{Code: item.Other, Reason: "the former shop's filter"}, "the former shop's filter"},
	} {
		id := fmt.Sprint("held", i)
		s.Fill(t, store.Comment{ID: id, ProductID: "42", Rating: 1, Language: "en", CreatedAt: at, Owner: "alice", State: item.Pending, Why: c.why})
		query := fmt.Sprintf(`{comment(id:%q){heldBy rejectionCode stateReason}}`, id)
		answer := func(says string) string {
			return fmt.Sprintf(`{"comment":{"heldBy":%q,"rejectionCode":null,"stateReason":%s}}`, c.why.Code, says)
		}
		s.As(apitest.Alice).Want(t, query, answer("null"))
		for _, staff := range []access.Viewer{apitest.Mia, apitest.Shop} {
			s.As(staff).Want(t, query, answer(fmt.Sprintf("%q", c.says)))
		}
		for _, other := range []access.Viewer{apitest.Bob, apitest.Anonymous} {
			s.As(other).Want(t, query, `{"comment":null}`)
		}
	}
	for _, query := range []string{`{user(id:"alice"){comments{nodes{heldBy stateReason}}}}`, `{product(id:"42"){viewerComments{nodes{heldBy stateReason}}}}`} {
		a := s.As(apitest.Alice).Post(t, query, nil)
		testkit.Check(t, strings.Contains(string(a.Data), `"WORD"`) && !strings.Contains(string(a.Data), "cheapwatches"), "%s", a.Data)
	}
	a := s.Post(t, `{moderationQueue{nodes{heldBy stateReason}}}`, nil)
	testkit.Check(t, strings.Contains(string(a.Data), `{"heldBy":"WORD","stateReason":"it has a blocked word: cheapwatches"}`), "%s", a.Data)
}

// A rejection has a code and the words of the moderator, for its author and in the history.
func TestRejectionCodes(t *testing.T) {
	s := serve(t)
	s.moderate(t)
	id := s.write(t, apitest.Alice)
	reject := func(more string) string {
		return fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"No."%s}){comment{heldBy rejectionCode stateReason}}}`, id, more)
	}
	for _, c := range []struct{ more, code string }{{"", "OTHER"}, {",code:SPAM", "SPAM"}, {",code:null", "OTHER"}, {",code:NOT_GENUINE", "NOT_GENUINE"}} {
		s.Want(t, reject(c.more), fmt.Sprintf(`{"rejectComment":{"comment":{"heldBy":null,"rejectionCode":%q,"stateReason":"No."}}}`, c.code))
		s.As(apitest.Alice).Want(t, fmt.Sprintf(`{comment(id:%q){rejectionCode stateReason}}`, id), fmt.Sprintf(`{"comment":{"rejectionCode":%q,"stateReason":"No."}}`, c.code))
	}
	s.Want(t, fmt.Sprintf(`{comment(id:%q){history{to heldBy rejectionCode reason}}}`, id), `{"comment":{"history":[
		{"to":"REJECTED","heldBy":null,"rejectionCode":"NOT_GENUINE","reason":"No."},{"to":"REJECTED","heldBy":null,"rejectionCode":"OTHER","reason":"No."},
		{"to":"REJECTED","heldBy":null,"rejectionCode":"SPAM","reason":"No."},{"to":"REJECTED","heldBy":null,"rejectionCode":"OTHER","reason":"No."},
		{"to":"PENDING","heldBy":"MODE","rejectionCode":null,"reason":"it is new"}]}}`)
	a := s.Post(t, reject(",code:LINK"), nil) // holds a comment, and is no rejection's
	testkit.Check(t, len(a.Errors) == 1 && strings.Contains(a.Errors[0].Message, "LINK"), "%+v", a.Errors)
	s.As(apitest.Alice).Post(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:3}){comment{id}}}`, id), nil)
	s.As(apitest.Alice).Want(t, fmt.Sprintf(`{comment(id:%q){heldBy rejectionCode stateReason}}`, id), `{"comment":{"heldBy":"EDIT","rejectionCode":null,"stateReason":null}}`)
	s.Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, id), nil)
	s.Want(t, fmt.Sprintf(`{comment(id:%q){heldBy rejectionCode stateReason}}`, id), `{"comment":{"heldBy":null,"rejectionCode":null,"stateReason":null}}`)
}

// The schema has the codes of the store.
func TestCodesOfTheSchema(t *testing.T) {
	types := graph.NewExecutableSchema(graph.Config{}).Schema().Types
	for state, name := range map[item.State]string{item.Pending: "HoldReason", item.Rejected: "RejectionCode"} {
		var codes []item.Code
		for _, v := range types[name].EnumValues {
			codes = append(codes, item.Code(v.Name))
		}
		testkit.Check(t, slices.Equal(codes, item.Codes[state]), "%s has %v, comments that are %s have %v", name, codes, state, item.Codes[state])
	}
}
