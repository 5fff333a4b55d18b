package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/testing/testkit"
)

// by asks as someone, with a token that the secret in the data directory signs.
func (s *server) by(t *testing.T, dataDir, subject string, role access.Role, query string) string {
	t.Helper()
	c := testkit.Value((&authFlags{RoleClaim: "role"}).config(filepath.Join(dataDir, "auth.key")))(t)
	token := testkit.Value(c.Make(access.Viewer{Subject: subject, Role: role}, time.Hour))(t)
	_, answer := s.as(t, "Bearer "+token, query)
	return answer
}

// writes makes a comment about product 42 with the title, and returns its id and status.
func (s *server) writes(t *testing.T, dataDir, subject, title string) (id, status string) {
	t.Helper()
	var a struct {
		Data struct {
			CreateComment struct {
				Comment struct{ CommentID, State string }
			}
		}
	}
	text := s.by(t, dataDir, subject, access.Author, fmt.Sprintf(`mutation{createComment(input:{productId:"42",rating:5,language:"en",author:"A. B.",title:%q}){comment{commentId state}}}`, title))
	err := json.Unmarshal([]byte(text), &a)
	testkit.Need(t, err == nil && a.Data.CreateComment.Comment.CommentID != "", "%s, %v", text, err)
	return a.Data.CreateComment.Comment.CommentID, a.Data.CreateComment.Comment.State
}

const orderLines = `{"orderId":"o1","subject":"alice","status":"DELIVERED","placedAt":"2023-01-10T09:00:00Z","deliveredAt":"2023-01-15T00:00:00Z","lines":[{"productId":"42","quantity":1,"unitPrice":{"amount":"12.50","currency":"EUR"}}]}
{"orderId":"o2","subject":"bob","status":"PLACED","placedAt":"2023-01-11T09:00:00Z","lines":[{"productId":"42","quantity":2}]}
`

// A contact is imported, exported with its person alone, and erased with them.
func TestContactsOfPeople(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command := func(status int, stdin, want string, arguments ...string) string {
		t.Helper()
		return wantRun(t, dir, stdin, status, want, append(arguments, "--data-dir=data")...)
	}
	asked := strings.ReplaceAll(orderLines, `"lines":`, `"contact":{"email":"alice@example.com","name":"Alice \"A\" <b>","language":"DE"},"lines":`)
	command(0, asked, "2 written", "import", "--orders=-")
	command(0, asked, "0 written", "import", "--orders=-", "--restart")
	command(exitFound, strings.ReplaceAll(asked, "alice@", "alice"), "2 refused", "import", "--orders=-", "--restart")
	out := command(0, "", `"orderId":"o1"`, "export", "--orders")
	testkit.Check(t, !strings.Contains(out, "contact"), "exported %s", out)
	command(0, "", `"reviewRequest":{"state":"SCHEDULED","contact":{"email":"alice@example.com","name":"Alice \"A\" \u003cb\u003e","language":"de"}}`, "user", "export", "alice")

	out = command(0, "", "o1 SCHEDULED, next look 20", "requests", "list")
	testkit.Check(t, strings.Contains(out, "\no2 SCHEDULED, next look ") && !strings.Contains(out, "example.com"), "listed %s", out)
	command(0, "", "there are no such review requests", "requests", "list", "--state=SENT")
	out = command(0, "", "o1 ", "requests", "list", "--due-before="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	testkit.Check(t, !strings.Contains(out, "o2"), "listed %s", out)
	command(exitFailed, "", "--due-before: ", "requests", "list", "--due-before=1969-01-01T00:00:00Z")
	command(0, "", "o2 CANCELLED, ended 20", "requests", "cancel", "o2")
	command(0, "", "o2 CANCELLED, ended 20", "requests", "cancel", "o2")
	command(exitFailed, "", "There is no review request of order o3", "requests", "cancel", "o3")
	command(0, "", `"reviewRequest":{"state":"CANCELLED"}`, "user", "export", "bob")

	command(0, "", "anonymized 1 order", "user", "erase", "alice", "--comments=remove")
	out = command(0, "", "o2 CANCELLED", "requests", "list")
	testkit.Check(t, !strings.Contains(out, "o1"), "listed %s", out)
}

// Orders come from a file and go into one, and what names a person is printed and erased,
// next to a server.
func TestUserCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	s := startServer(t, data, "--moderation=post", "--author-pace=100")
	command := func(stdin string, arguments ...string) string {
		t.Helper()
		return wantRun(t, dir, stdin, 0, "", append(arguments, "--data-dir=data")...)
	}
	out := command(orderLines, "import", "--orders=-")
	testkit.Check(t, strings.Contains(out, "2 written"), "import of orders: %s", out)
	out = command(orderLines, "import", "--orders=-")
	testkit.Check(t, strings.Contains(out, "0 written"), "again: %s", out)
	out = command("", "export", "--orders")
	testkit.Check(t, len(out) == len(orderLines) && strings.Contains(out, strings.SplitAfter(orderLines, "\n")[0]), "exported\n%swant\n%s", out, orderLines)

	shown, _ := s.writes(t, data, "alice", "first")
	hidden, _ := s.writes(t, data, "alice", "second")
	bobs, _ := s.writes(t, data, "bob", "third")
	for _, did := range []struct {
		who   string
		role  access.Role
		query string
	}{
		{"mia", access.Moderator, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"rude"}){comment{state}}}`, hidden)},
		{"alice", access.Author, fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:HELPFUL}){comment{id}}reportComment(input:{id:%[1]q,reason:"spam"}){comment{id}}}`, bobs)},
		{"bob", access.Author, fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:HELPFUL}){comment{id}}}`, shown)},
	} {
		a := s.by(t, data, did.who, did.role, did.query)
		testkit.Need(t, !strings.Contains(a, "errors"), "%v", a)
	}
	const totals = `{product(id:"42"){stats{totalCount verifiedCount}comments{totalCount nodes{title author verifiedPurchase helpfulCount}}}}`
	waitUntil(t, "Alice is a buyer", func() bool { return strings.Contains(s.query(t, totals), `"verifiedCount":1`) })

	export := func(subject string) map[string]int {
		t.Helper()
		kinds := map[string]int{}
		for line := range strings.Lines(command("", "user", "export", subject)) {
			var l struct {
				Kind, Status, Reason, Vote string
				Comment                    struct{ Moderation struct{ Status string } }
			}
			err := json.Unmarshal([]byte(line), &l)
			testkit.Need(t, err == nil, "%s: %v", line, err)
			kinds[l.Kind]++
			if strings.Contains(line, `"PACE"`) {
				kinds["pace"] += strings.Count(line, "Z\"")
			}
			for kind, want := range map[string]string{"vote": `"vote":"HELPFUL"`, "report": `"reason":"spam"`, "purchase": `"bought":true`, "order": `"orderId":"o1"`, "comment": `"author":"A. B."`, "profile": `"at":"2023-01-10T09:00:00Z"`} {
				testkit.Check(t, l.Kind != kind || strings.Contains(line, want), "%s has no %s", line, want)
			}
			if l.Kind == "comment" && ((l.Comment.Moderation.Status == "REJECTED") != strings.Contains(line, hidden) || l.Status != "" || l.Reason != "") {
				t.Errorf("what is rejected says so once: %s", line)
			}
		}
		return kinds
	}
	wantRun(t, dir, "", exitFailed, "subject: it is empty", "user", "export", "", "--data-dir=data")
	got := export("alice")
	for kind, n := range map[string]int{"comment": 2, "order": 1, "purchase": 1, "profile": 1, "vote": 1, "report": 1, "decision": 0, "pace": 2} {
		testkit.Check(t, got[kind] == n, "%d of %s, want %d: %v", got[kind], kind, n, got)
	}
	got = export("mia")
	testkit.Check(t, got["decision"] == 1 && len(got) == 1, "of who decided: %v", got)

	if out := command("", "user", "erase", "alice", "--comments=anonymous"); !strings.Contains(out, "removed 1 comment, and the name from 1 more; erased 1 vote and 1 report; anonymized 1 order and 0 decisions\nThis is erasure ") || strings.Contains(out, "alice") {
		t.Errorf("erased: %s", out)
	}
	testkit.Equal(t, command("", "user", "export", "alice"), "", "of Alice there is still")
	out = command("", "user", "erase", "alice", "--comments=anonymous")
	testkit.Check(t, strings.Contains(out, "removed 0 comments, and the name from 0 more; erased 0 votes and 0 reports; anonymized 0 orders and 0 decisions"), "again: %s", out)
	out = command("", "export", "--orders")
	testkit.Check(t, !strings.Contains(out, "alice") && strings.Contains(out, `"orderId":"o1","subject":"erased-`), "orders: %s", out)
	const left = `"nodes":[{"title":"third","author":"A. B.","verifiedPurchase":false,"helpfulCount":0},{"title":"first","author":null,"verifiedPurchase":true,"helpfulCount":1}]`
	waitUntil(t, "the page and its counts are without Alice", func() bool {
		page := s.query(t, totals)
		return strings.Contains(page, `"stats":{"totalCount":2,"verifiedCount":1},"comments":{"totalCount":2`) && strings.Contains(page, left)
	})
	out = command("", "user", "erase", "bob", "--comments=remove")
	testkit.Check(t, strings.Contains(out, "removed 1 comment, and the name from 0 more; erased 1 vote and 0 reports; anonymized 1 order"), "erased: %s", out)
	out = command("", "user", "erase", "mia", "--comments=remove")
	testkit.Check(t, strings.Contains(out, "0 decisions"), "her decision went with the comment: %s", out)
	waitUntil(t, "one comment is left", func() bool { return strings.Contains(s.query(t, totals), `"comments":{"totalCount":1`) })
	out = command("", "stats", "verify")
	testkit.Check(t, strings.Contains(out, ": 0 differences"), "verify: %s", out)
}

// What a server hears of moderation decides about what it takes, and a product may go a
// way of its own.
func TestProductModeration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	words := write(t, dir, "words", "# rude\nidiot\n")
	s := startServer(t, data, "--moderation=post", "--reports=1", "--blocked-words="+words, "--hold-links", "--author-pace=3")
	for _, test := range []struct{ subject, title, want string }{
		{"alice", "Fine", "PUBLISHED"},
		{"alice", "An IDIOT made it", "PENDING"},
		{"alice", "see www.example.com", "PENDING"},
		{"alice", "Fine", "PENDING"}, // the fourth of an hour
	} {
		_, got := s.writes(t, data, test.subject, test.title)
		testkit.Check(t, got == test.want, "%q of %s is %s, want %s", test.title, test.subject, got, test.want)
	}
	id, _ := s.writes(t, data, "bob", "Fine")
	s.by(t, data, "carol", access.Author, `mutation{reportComment(input:{id:"`+id+`"}){comment{id}}}`)
	got := s.by(t, data, "bob", access.Author, `{comment(id:"`+id+`"){state}}`)
	testkit.Check(t, strings.Contains(got, "PENDING"), "reported, it is %s", got)
	for i, test := range []struct{ mode, want string }{{"pre", "PENDING"}, {"off", "PUBLISHED"}, {"shop", "PUBLISHED"}} {
		wantRun(t, dir, "", 0, "product 42: new comments are moderated as "+test.mode, "product", "moderation", "42", test.mode, "--data-dir=data")
		title := map[string]string{"off": "idiot"}[test.mode] // which would be held
		tries := 0
		waitUntil(t, "the server moderates as "+test.mode+" says", func() bool {
			tries++
			_, got := s.writes(t, data, fmt.Sprintf("dave-%d-%d", i, tries), "Fine "+title)
			return got == test.want
		})
	}
	got = s.by(t, data, "mia", access.Moderator, `{moderationQueue{nodes{stateReason}}}`)
	testkit.Check(t, strings.Count(got, "stateReason") >= 4, "the queue: %s", got)
}
