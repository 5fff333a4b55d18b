package resolvers_test

import (
	"bytes"
	"fmt"
	"testing"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/key/sealed"
	"product-comments/store/storetest"
)

const notice = `mutation{reportComment(input:{id:%q,reason:%q,notice:{name:%q,email:%q,goodFaith:%t}}){receipt comment{commentId}}}`

// A visitor without a token reports with name and address, where the shop takes notices: moderators
// see both until they decide, and the author sees why.
func TestNotices(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Rules.Notices = true })
	id := s.write(t, apitest.Alice)
	anonymous := s.As(apitest.Anonymous)
	a := anonymous.Post(t, fmt.Sprintf(notice, id, "It names <b>me</b>.", "Ann", "ann@example.org", true), nil)
	receipt, _ := a.At(t, "reportComment", "receipt").(string)
	testkit.Check(t, len(receipt) == 16 && a.At(t, "reportComment", "comment", "commentId") == id, "%s", a.Data)
	anonymous.WantError(t, fmt.Sprintf(notice, id, "x", "Ann", "ann@example.org", false), "BAD_USER_INPUT", "notice.goodFaith")
	anonymous.WantError(t, fmt.Sprintf(notice, id, "x", "Ann", "ann", true), "BAD_USER_INPUT", "notice.email")
	anonymous.WantError(t, fmt.Sprintf(notice, "none", "x", "Ann", "ann@example.org", true), "NOT_FOUND", "")
	anonymous.WantError(t, fmt.Sprintf(`mutation{reportComment(input:{id:%q}){receipt}}`, id), "BAD_USER_INPUT", "notice")
	s.As(apitest.Bob).WantError(t, fmt.Sprintf(notice, id, "x", "Ann", "ann@example.org", true), "BAD_USER_INPUT", "notice")
	reports := fmt.Sprintf(`{comment(id:%q){reportCount reports{by name email reason}}}`, id)
	s.Want(t, reports, fmt.Sprintf(`{"comment":{"reportCount":1,"reports":[{"by":"notice:%s","name":"Ann","email":"ann@example.org","reason":"It names <b>me</b>."}]}}`, receipt))
	s.As(apitest.Alice).WantError(t, fmt.Sprintf(`{comment(id:%q){reports{name email}}}`, id), "FORBIDDEN", "")
	s.Post(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"It is against the law.",code:UNLAWFUL}){comment{id}}}`, id), nil)
	s.Want(t, reports, fmt.Sprintf(`{"comment":{"reportCount":0,"reports":[{"by":"notice:%s","name":null,"email":null,"reason":"It names <b>me</b>."}]}}`, receipt))
	statement := fmt.Sprintf(`{comment(id:%q){statement{code reason ground origin}}}`, id)
	s.As(apitest.Alice).Want(t, statement, `{"comment":{"statement":{"code":"UNLAWFUL","reason":"It is against the law.","ground":"LAW","origin":"NOTICE"}}}`)
	anonymous.Want(t, statement, `{"comment":null}`)
	s.Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, id), nil)
	anonymous.Want(t, statement, `{"comment":{"statement":null}}`)
}

// Without the key of a notice, which may have been removed, moderators still see what it says and decide.
func TestNoticesWithoutTheirKey(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Rules.Notices = true
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{Keys: testkit.Value(sealed.NewSet(bytes.Repeat([]byte{7}, sealed.MinSecret)))(t)})
	})
	id := s.write(t, apitest.Alice)
	_, _, err := s.Store.Notify(t.Context(), id, moderation.Notice{Name: "Ann", Email: "ann@example.org", Reason: "It names me."})
	testkit.Must(t, err)
	s.Want(t, fmt.Sprintf(`{comment(id:%q){reports{name email reason}}}`, id), `{"comment":{"reports":[{"name":null,"email":null,"reason":"It names me."}]}}`)
	s.Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, id), nil).At(t, "approveComment", "comment")
}

// Without the setting a notice needs a token, and with it a client has few.
func TestNoticesHaveABudget(t *testing.T) {
	s := serve(t)
	id := s.write(t, apitest.Alice)
	s.As(apitest.Anonymous).WantError(t, fmt.Sprintf(notice, id, "x", "Ann", "ann@example.org", true), "UNAUTHENTICATED", "")
	s = serve(t, func(c *httpapi.Config) {
		c.Rules.Notices, c.Limits.NoticeBudget, c.Limits.Local = true, admission.NewBudget(2, nil), true
	})
	id = s.write(t, apitest.Alice)
	for i := range 2 {
		s.As(apitest.Anonymous).Post(t, fmt.Sprintf(notice, id, "x", "Ann", fmt.Sprintf("a%d@example.org", i), true), nil).At(t, "reportComment", "receipt")
	}
	s.As(apitest.Anonymous).WantError(t, fmt.Sprintf(notice, id, "x", "Ann", "more@example.org", true), "RATE_LIMITED", "")
	s.As(apitest.Bob).Want(t, fmt.Sprintf(`mutation{reportComment(input:{id:%q}){receipt}}`, id), `{"reportComment":{"receipt":null}}`)
}

// Everyone sees reports of moderation if the shop publishes them, otherwise staff alone.
func TestPublicReports(t *testing.T) {
	for _, public := range []bool{false, true} {
		s := serve(t, func(c *httpapi.Config) { c.Rules.PublicReports = public })
		id := s.write(t, apitest.Alice)
		s.Post(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"x",code:SPAM}){comment{id}}}`, id), nil)
		s.Project(t)
		const of = `moderationReport(from:"2024-01",to:"2033-12"){createdCount ratings{rating refusedCount refusals{code count}}}`
		for _, query := range []string{"{product(id:\"42\"){" + of + "}}", "{" + of + "}"} {
			for _, v := range []access.Viewer{apitest.Anonymous, apitest.Alice, apitest.Mia} {
				if !public && v != apitest.Mia {
					s.As(v).WantError(t, query, map[bool]string{true: "UNAUTHENTICATED", false: "FORBIDDEN"}[v == apitest.Anonymous], "")
					continue
				}
				path := []any{"moderationReport"}
				if query[1] == 'p' {
					path = []any{"product", "moderationReport"}
				}
				a := s.As(v).Post(t, query, nil)
				testkit.Check(t, a.At(t, append(path, "createdCount")...) == 1.0, "%s", a.Data)
			}
		}
		s.WantError(t, `{moderationReport(from:"x",to:"2026-01"){from}}`, "BAD_USER_INPUT", "from")
	}
}
