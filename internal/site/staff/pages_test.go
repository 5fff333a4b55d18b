package staff_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
)

// has checks that a page has some texts, and lacks those that begin with "!".
func has(t testing.TB, what, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		text, lacks := strings.CutPrefix(text, "!")
		testkit.Check(t, strings.Contains(page, text) != lacks, "%s: %q, and the page is %s", what, text, page)
	}
}

// Without a script every form leads back to its page, which says what was done, with true counts.
func TestForms(t *testing.T) {
	d := serve(t)
	first, second := d.write(t, apitest.Alice, "42", "first", "one text"), d.write(t, apitest.Bob, "7", "second", "")
	page := d.get(t, "/staff")
	has(t, "the queue", page, "first", "one text", "It is new.", "A &amp; B &lt;pack&gt;", `src="/picture.svg"`, `data-count="PENDING">2<`, `data-load="/staff/comments/`+first+`/writer"`)
	testkit.Check(t, strings.Index(page, "first") < strings.Index(page, "second"), "the newest is first: %s", page)

	at := "/staff/comments/" + first
	for _, step := range []struct {
		path   string
		fields []string
		leads  string
		says   []string
	}{
		{at + "/approve", []string{"version", "1", "back", "/staff?lang=de"}, "/staff?lang=de&said=approve", []string{"Die Bewertung ist veröffentlicht.", `data-count="PENDING">1<`}},
		{at + "/reply", []string{"reply", "Thank you", "back", at}, at + "?said=reply", []string{"The reply is saved.", "Thank you", "Published", "mia"}},
		{at + "/reject", []string{"version", "1", "state", "PUBLISHED", "code", "SPAM", "language", "fr", "back", at}, at + "?said=reject", []string{"The review is rejected.", "C’est de la publicité.", "Rejected. It advertises something."}},
		{"/staff/comments/" + second + "/reject", []string{"version", "1", "code", "OTHER", "reason", "No.", "back", "https://elsewhere.example/staff"}, "/staff?said=reject", []string{"No review waits.", `data-count="REJECTED">2<`}},
	} {
		status, leads, body := d.post(t, "mia", step.path, step.fields...)
		testkit.Need(t, status == http.StatusSeeOther && leads == step.leads, "%s %s: %d %s %s", step.path, step.fields, status, leads, body)
		has(t, step.path, d.get(t, leads), step.says...)
	}
	for _, wrong := range []string{"//evil.example", "/staffed", "javascript:alert(1)", "/staff/%zz", ""} {
		_, leads, _ := d.post(t, "mia", at+"/approve", "back", wrong)
		testkit.Equal(t, leads, "/staff?said=approve", "after back=%q", wrong)
	}
	status, _, _ := d.post(t, "mia", at+"/nothing")
	testkit.Equal(t, status, http.StatusBadRequest, "an unknown verb")
	status, _, body := d.post(t, "alice", at+"/approve")
	testkit.Equal(t, status, http.StatusUnauthorized, "an author: %s", body)
}

// A decision about a comment that another moderator has decided about says who was first. What was typed
// stays. The same decision once more is no mistake of the person who sends it.
func TestLateDecisions(t *testing.T) {
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "first", "")
	at := "/staff/comments/" + id
	decide := func(person, verb string) (int, string) {
		status, _, body := d.post(t, person, at+"/"+verb, "version", "1", "state", "PENDING", "code", "OFFENSIVE", "reason", "typed <b>")
		return status, body
	}
	status, _ := decide("zoe", "approve")
	testkit.Equal(t, status, http.StatusSeeOther, "the first")
	status, body := decide("mia", "reject")
	testkit.Equal(t, status, http.StatusConflict, "the second")
	has(t, "the second", body, "zoe decided first, on ", ": Published.", `value="typed &lt;b&gt;"`, `value="OFFENSIVE" selected`, `name="state" value="PUBLISHED"`)
	status, _ = decide("zoe", "approve")
	testkit.Equal(t, status, http.StatusSeeOther, "the first once more")
	status, body = decide("zoe", "reject")
	testkit.Equal(t, status, http.StatusConflict, "the first, otherwise")
	has(t, "the first, otherwise", body, "The review has changed since you read it.")
	status, body = decide("mia", "approve")
	testkit.Equal(t, status, http.StatusConflict, "the same as another moderator")
	has(t, "the same as another moderator", body, "zoe decided first")
}

// A page shows who else looks at its comments.
func TestLooks(t *testing.T) {
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "first", "")
	node := d.Post(t, `query($id: ID!) { comment(id: $id) { id } }`, map[string]any{"id": id}).At(t, "comment", "id").(string)
	look := func(person, want string) {
		t.Helper()
		a, body := d.send(t, person, http.MethodPost, "/staff/comments/"+id+"/look", "node="+node, "Accept", "application/json")
		testkit.Check(t, a.StatusCode == http.StatusOK && strings.Contains(body, `"`+id+`":"`+want+`"`), "%s: %d %s, want %s", person, a.StatusCode, body, want)
	}
	look("mia", "")
	look("zoe", "mia is looking at this.")
	look("mia", "zoe is looking at this.")
	has(t, "the queue", d.get(t, "/staff?lang=de"), "zoe sieht sich das an.")
}

// Reports have their texts and their people; a moderator dismisses them, or rejects the comment.
func TestReports(t *testing.T) {
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "reported one", "")
	d.post(t, "mia", "/staff/comments/"+id+"/approve")
	for i := range 2 {
		by := access.Viewer{Subject: fmt.Sprint("reader", i), Role: access.Author}
		a := d.As(by).Post(t, `mutation($id: ID!) { reportComment(input: { id: $id, reason: "rude <words>" }) { comment { version } } }`, map[string]any{"id": id})
		testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	}
	_, _, err := d.Store.Notify(t.Context(), id, moderation.Notice{Name: "Ann <b>", Email: "ann@example.org", Reason: "it names me"})
	testkit.Must(t, err)
	has(t, "a notice", d.get(t, "/staff/reports"), "<bdi>Ann &lt;b&gt;</bdi>", "<bdi>ann@example.org</bdi>", "it names me", "3 reports")
	has(t, "reports", d.get(t, "/staff/reports"), "reported one", "rude &lt;words&gt;", "reader0", "reader1", "3 reports", "Dismiss the reports", `data-count="PUBLISHED">1<`)
	has(t, "hidden ones", d.get(t, "/staff/reports?state=hidden"), "No review was reported.", `href="/staff/reports?state=hidden" aria-current="true"`)
	has(t, "the queue", d.get(t, "/staff"), `data-count="reported">1<`, "No review waits.")
	status, leads, _ := d.post(t, "mia", "/staff/comments/"+id+"/approve", "back", "/staff/reports")
	testkit.Equal(t, status, http.StatusSeeOther, "dismiss")
	has(t, "dismissed", d.get(t, leads), "No review was reported.", `data-count="PUBLISHED">0<`)
	status, _, body := d.post(t, "zoe", "/staff/comments/"+id+"/reject", "reports", "3", "state", "PUBLISHED", "code", "SPAM")
	testkit.Equal(t, status, http.StatusConflict, "rejected after that")
	has(t, "rejected after that", body, "mia decided first")
}

// Reviews are selected by their address.
func TestSelections(t *testing.T) {
	d := serve(t)
	for i, c := range []struct{ product, title string }{{"42", "Alpha näive"}, {"42", "Beta"}, {"7", "Gamma"}, {"7", "Delta"}} {
		id := d.write(t, apitest.Alice, c.product, c.title, "")
		if i%2 == 0 {
			d.post(t, "mia", "/staff/comments/"+id+"/approve")
		}
	}
	list := apitest.Comments(130)
	for i := range list {
		list[i].Title = fmt.Sprint("Filler ", i)
	}
	list[3].Title, list[3].Language = "Needle", "de"
	list[4].Photos = []item.Photo{{ID: strings.Repeat("a", 26), Width: 400, Height: 300}}
	d.Fill(t, list...)
	d.Project(t)
	today := time.Now().UTC().Format(time.DateOnly)
	for query, want := range map[string][]string{
		"":                         {"Enter the id of a product or of an author to see published reviews.", "!<article"},
		"?product=42":              {"Alpha", "Filler 129", "!Beta", `rel="next"`, "!Looked"},
		"?product=42&words=NAIVE":  {"Alpha", "!Filler", "!500 reviews"},
		"?product=42&words=needle": {"Needle", "!Alpha", "!Filler"},
		"?product=42&language=de":  {"Needle", "!Alpha"},
		"?product=42&photos=1":     {"Filler 4<", "!Alpha", "✕"},
		"?product=42&rating=5":     {"Filler 129", "!Filler 128<", "!Alpha", `value="5" checked`},
		"?product=42&from=2026-01-01&to=2026-01-01": {"Filler 129", "!Alpha", `value="2026-01-01"`},
		"?product=42&from=" + today:                 {"Alpha", "!Filler"},
		"?author=alice":                             {"Alpha", "Beta", "Gamma", "Delta", "!Filler"},
		"?author=alice&product=7":                   {"Gamma", "Delta", "!Alpha"},
		"?author=alice&state=PENDING":               {"Beta", "Delta", "!Alpha", `value="PENDING" selected`},
		"?author=alice&words=gam":                   {"Gamma", "!Alpha"},
		"?state=PENDING&product=42":                 {"Beta", "!Delta", "!Alpha"},
		"?state=PENDING&rating=2&words=delta":       {"Delta", "!Beta"},
		"?state=PENDING&to=9999-12-31":              {"Delta", "Beta"},
		"?product=42&words=nothing":                 {"No review matches these filters.", "!<article"},
	} {
		has(t, query, d.get(t, "/staff/reviews"+query), want...)
	}
	for _, query := range []string{"?state=wrong", "?author=alice&language=!!", "?product=42&after=wrong"} {
		a, body := d.send(t, "mia", http.MethodGet, "/staff/reviews"+query, "")
		testkit.Check(t, a.StatusCode == http.StatusBadRequest, "%s: %d %s", query, a.StatusCode, body)
		has(t, query, body, `role="alert">This `, "!<article")
	}
	page := d.get(t, "/staff/reviews?product=42&rating=5")
	_, next, _ := strings.Cut(page, `rel="next" href="`)
	next, _, _ = strings.Cut(next, `"`)
	page = d.get(t, strings.ReplaceAll(next, "&amp;", "&"))
	has(t, "the next page", page, "Filler 29<", "!Filler 129", `href="/staff/reviews?product=42&amp;rating=5"`, "Back to the first page")
}

// Texts of people never become markup, on any page.
func TestHostileTexts(t *testing.T) {
	d := serve(t)
	eve := access.Viewer{Subject: hostile, Role: access.Author}
	id := d.write(t, eve, "43", hostile, hostile)
	d.post(t, "mia", "/staff/comments/"+id+"/approve")
	d.post(t, "mia", "/staff/comments/"+id+"/reply", "reply", hostile)
	a := d.As(access.Viewer{Subject: hostile + "2", Role: access.Author}).Post(t, `mutation($in: ReportCommentInput!) { reportComment(input: $in) { comment { version } } }`, map[string]any{"in": map[string]any{"id": id, "reason": hostile}})
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	check := func(path string) {
		t.Helper()
		page := d.get(t, path)
		testkit.Check(t, !strings.Contains(page, "<script>alert") && !strings.Contains(page, "<img src=x") && !strings.Contains(page, `" onmouseover`), "%s: %s", path, page)
		testkit.Check(t, strings.Contains(page, "alert(1)"), "%s does not show it: %s", path, page)
	}
	check("/staff/reports")
	check("/staff/comments/" + id)
	check("/staff/reviews?product=43")
	status, _, body := d.post(t, "zoe", "/staff/comments/"+id+"/reject", "code", "SPAM", "reason", hostile, "state", "PENDING")
	testkit.Check(t, status == http.StatusConflict && !strings.Contains(body, "<script>alert"), "refused: %d %s", status, body)
	d.post(t, "mia", "/staff/comments/"+id+"/reject", "code", "SPAM", "reason", hostile)
	check("/staff/comments/" + id)
	check("/staff/reviews?state=REJECTED&words=%3Cscript%3Ealert(1)")
	d.write(t, eve, "43", "another", "")
	check("/staff")
	check("/staff/comments/" + d.write(t, eve, "7", "third", "") + "/writer?lang=%3Cscript%3Ealert(1)")
}

// A card says what the author got.
func TestIncentives(t *testing.T) {
	d := serve(t)
	a := d.As(apitest.Shop).Post(t, `mutation{createComment(input:{productId:"43",rating:5,language:"en",title:"paid",incentive:PAID}){comment{commentId}}}`, nil)
	id := a.At(t, "createComment", "comment", "commentId").(string)
	testkit.Check(t, strings.Contains(d.get(t, "/staff/comments/"+id), `<span class="pr-incentive">Paid for this review</span>`), "the card has no badge")
}

// While the store does not answer, no page shows a part of what there is, and a decision says that it was
// not executed and keeps what was typed. Counts that are not known leave the rest as it is.
func TestStoreIsDown(t *testing.T) {
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "first", "")
	for path, field := range map[string]string{"/staff": "nodes", "/staff/reports": "queue", "/staff/reviews?author=alice": "data", "/staff/comments/" + id: "history"} {
		d.fails(t, field)
		a, body := d.send(t, "mia", http.MethodGet, path, "")
		testkit.Check(t, a.StatusCode == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "", "%s without %s: %d %s", path, field, a.StatusCode, body)
		has(t, path, body, "The service is not available at the moment.", "!<article", "!first")
	}
	d.fails(t, "replyToComment")
	status, _, body := d.post(t, "mia", "/staff/comments/"+id+"/reply", "reply", "typed")
	testkit.Equal(t, status, http.StatusServiceUnavailable, "a decision")
	has(t, "a decision", body, "The service is not available at the moment.", ">typed</textarea>", "Waiting")
	d.fails(t, "counts")
	has(t, "without counts", d.get(t, "/staff"), "Counts are not available at the moment.", "first")
}

// The first page of ten thousand comments that wait comes at once, and so does one in the middle.
func TestManyWait(t *testing.T) {
	n := 300
	if testkit.All(t) {
		n = 10_000
	}
	d := serve(t)
	for from := 0; from < n; from += 500 {
		d.wait(t, from, make([]store.Comment, min(500, n-from))...)
	}
	path := "/staff"
	for page := range 5 {
		began := time.Now()
		body := d.get(t, path)
		took := time.Since(began)
		t.Logf("page %d of %d comments: %s", page+1, n, took)
		testkit.Check(t, strings.Count(body, "<article") == 20, "page %d has %d", page, strings.Count(body, "<article"))
		has(t, path, body, fmt.Sprintf(`id="review-w%05d"`, 20*page), fmt.Sprintf(`id="review-w%05d"`, 20*page+19))
		_, next, _ := strings.Cut(body, `rel="next" href="`)
		next, _, _ = strings.Cut(next, `"`)
		path = strings.ReplaceAll(next, "&amp;", "&")
	}
}
