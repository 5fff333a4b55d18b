package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"product-comments/graph/globalid"
	"product-comments/internal/testing/testkit"
)

// What shops have of attributes: a group's definitions, a product's own, both.
const definitionsFile = `{"group":"shoes","definitions":[{"key":"fit","type":"NUMBER","position":1,"shown":true,"labels":[{"language":"en","label":"Fit"},{"language":"de","label":"Passform"}]},{"key":"size","type":"CHOICE","position":0,"choices":[{"value":"S","labels":[{"language":"en","label":"Small"}]},{"value":"M"}]}]}
{"productId":"1","group":"shoes","definitions":[]}
{"productId":"2","group":"shoes","definitions":[{"key":"use","type":"TEXT","position":4,"locale":"de"},{"key":"worn","type":"DATE","position":5}]}
{"productId":"3","definitions":[{"key":"gift","type":"BOOLEAN","position":0}]}
`

const commentsWithAttributes = `{"productId":"1","commentId":"a","rating":4,"language":"en","createdAt":"2026-02-03T04:05:09Z","helpful":3,"attributes":{"fit":4.50,"size":"M","other":[]}}
{"productId":"1","commentId":"b","rating":5,"language":"en","createdAt":"2026-02-03T04:05:08Z","attributes":{"fit":"-2","free":"kept"}}
{"productId":"1","commentId":"c","rating":5,"language":"de","createdAt":"2026-02-03T04:05:07Z"}
{"productId":"2","commentId":"d","rating":3,"language":"de","createdAt":"2026-02-03T04:05:06Z","attributes":{"use":"Büro","worn":"2026-01-02","size":"S"}}
{"productId":"3","commentId":"e","rating":1,"language":"en","createdAt":"2026-02-03T04:05:05Z","attributes":{"gift":"true"}}
`

// What is exported, definitions, values and votes, is all there again after it was
// imported into an empty table.
func TestExportGivesEverythingBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeeds := func(want string, arguments ...string) string {
		t.Helper()
		return wantRun(t, dir, "", 0, want, arguments...)
	}
	write(t, dir, "definitions", definitionsFile)
	given := strings.Replace(commentsWithAttributes, `,"other":[]`, "", 1)
	write(t, dir, "comments", given)
	succeeds("5 attributes defined", "import", "--data-dir=first", "--definitions=definitions", "comments")
	// Again, and by themselves, they change nothing.
	succeeds("0 written", "import", "--data-dir=first", "--definitions=definitions")

	s := startServer(t, filepath.Join(dir, "first"))
	token := "Bearer " + strings.TrimSpace(succeeds("", "token", "--data-dir=first", "--subject=alice"))
	for id, vote := range map[string]string{"b": "HELPFUL", "a": "UNHELPFUL", "c": "HELPFUL"} {
		status, got := s.as(t, token, fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:%s}){comment{commentId}}}`, id, vote))
		testkit.Need(t, status == 200 && !strings.Contains(got, "errors"), "vote: %d %s", status, got)
	}
	before := attributesShown(t, s)
	products := []string{"--product=1", "--product=2", "--product=3", "--product=4"}
	exported := succeeds("5", append([]string{"export", "--data-dir=first", "--definitions=defined"}, products...)...)
	testkit.Equal(t, read(t, dir, "defined"), definitionsFile, "exported are the definitions")
	want := strings.NewReplacer(`"helpful":3,`, `"helpful":3,"unhelpfulVotes":1,`, `"05:08Z",`, `"05:08Z","helpfulVotes":1,`,
		`:08Z","attr`, `:08Z","helpfulVotes":1,"attr`, `:07Z"}`, `:07Z","helpfulVotes":1}`).Replace(given)
	testkit.Equal(t, exported, want, "exported")
	succeeds("export them with --definitions", append([]string{"export", "--data-dir=first"}, products...)...)
	// Where the votes are already, they are not counted twice.
	write(t, dir, "exported", exported)
	succeeds("(5 of them unchanged)", "import", "--data-dir=first", "--definitions=defined", "exported")
	testkit.Equal(t, attributesShown(t, s), before, "imported where it")
	s.stop(t, syscall.SIGTERM)

	succeeds("5 written", "import", "--data-dir=second", "--definitions=defined", "exported")
	s = startServer(t, filepath.Join(dir, "second"))
	testkit.Equal(t, attributesShown(t, s), before, "after the import")
	if again := succeeds("5", append([]string{"export", "--data-dir=second", "--definitions=again"}, products...)...); again != exported || read(t, dir, "again") != definitionsFile {
		t.Errorf("exported again:\n%s\n%s", again, read(t, dir, "again"))
	}
}

// Own ids that read as global ids come back as they were exported, whatever they are the ids of.
func TestExportGivesIDsBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	product, comment := globalid.Of(globalid.Product, globalid.Of(globalid.Product, "1")), globalid.Of(globalid.Comment, globalid.Of(globalid.Order, "c"))
	order, person := globalid.Of(globalid.Order, globalid.Of(globalid.Order, "o")), globalid.Of(globalid.User, globalid.Of(globalid.User, "alice"))
	files := map[string]string{
		"comments":    fmt.Sprintf(`{"productId":%q,"commentId":%q,"rating":4,"language":"en","createdAt":"2026-02-03T04:05:09Z"}`+"\n", product, comment),
		"orders":      fmt.Sprintf(`{"orderId":%q,"subject":%q,"status":"PLACED","placedAt":"2026-01-01T00:00:00Z","lines":[{"productId":%q,"quantity":1}]}`+"\n", order, person, product),
		"definitions": fmt.Sprintf(`{"productId":%q,"definitions":[{"key":"gift","type":"BOOLEAN","position":0}]}`+"\n", product),
	}
	succeeds := func(arguments ...string) string {
		t.Helper()
		return wantRun(t, dir, "", 0, "", arguments...)
	}
	for name, content := range files {
		write(t, dir, name, content)
	}
	succeeds("import", "--definitions=definitions", "comments")
	succeeds("import", "--orders", "orders")
	testkit.Equal(t, succeeds("export", "--definitions=again", "--product="+product), files["comments"], "comments")
	testkit.Equal(t, read(t, dir, "again"), files["definitions"], "definitions")
	testkit.Equal(t, succeeds("export", "--orders"), files["orders"], "orders")
	of := succeeds("user", "export", person)
	testkit.Check(t, strings.Contains(of, order) && strings.Contains(of, product), "of the person: %s", of)
	testkit.Equal(t, succeeds("export", "--product=1"), "", "comments of another product")
	testkit.Equal(t, succeeds("user", "export", "alice"), "", "of another person")
}

// attributesShown returns what the API shows of attributes and votes. Orders follow
// from these; they wait for the projector, and transfer's tests compare them.
func attributesShown(t *testing.T, s *server) string {
	t.Helper()
	got := s.query(t, `{products(ids:["1","2","3"]){attributes{key type position shown locale address group labels{language label} choices{value label}}
		comments{nodes{commentId attributes{definition{key} value} helpfulCount unhelpfulCount}}}}`)
	testkit.Need(t, !strings.Contains(got, `"errors"`), "%v", got)
	return got
}

const moderatedComments = `{"productId":"1","commentId":"d","rating":4,"language":"en","createdAt":"2026-02-03T04:05:09Z","moderation":{"reports":1}}
{"productId":"1","commentId":"a","rating":4,"language":"en","createdAt":"2026-02-03T04:05:08Z","title":"Thanks","shopReply":{"text":"A \"pleasure\"\n","createdAt":"2026-02-04T00:00:00.5Z","updatedAt":"2026-02-05T00:00:00Z"}}
{"productId":"1","commentId":"b","rating":5,"language":"en","createdAt":"2026-02-03T04:05:07Z","moderation":{"status":"PENDING","code":"MODE"}}
{"productId":"1","commentId":"c","rating":1,"language":"de","createdAt":"2026-02-03T04:05:06Z","moderation":{"status":"REJECTED","code":"OFFENSIVE","reason":"rude"},"shopReply":{"text":"Sorry","createdAt":"2026-02-04T00:00:00Z"}}
{"productId":"1","commentId":"e","rating":1,"language":"de","createdAt":"2026-02-03T04:05:05Z","moderation":{"status":"WITHDRAWN"}}
`

// Comments that are not published, and replies, are there again after an export, in the
// same state; without being asked for the former are left out, and that is said.
func TestExportGivesWhatIsModeratedBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "given", moderatedComments+`{"productId":"2","commentId":"f","rating":1,"language":"de","createdAt":"2026-02-03T04:05:05Z","moderation":{"status":"PENDING"}}`+"\n")
	wantRun(t, dir, "", 0, "", "import", "--data-dir=first", "given")
	out, log, status := run(t, dir, "", "export", "--data-dir=first", "--product=1", "--unpublished")
	testkit.Check(t, status == 0 && out == moderatedComments && !strings.Contains(log, "--unpublished"), "exported are, %d,\n%s\n%s", status, out, log)
	published := strings.Join(strings.SplitAfter(moderatedComments, "\n")[:2], "")
	out, log, status = run(t, dir, "", "export", "--data-dir=first", "--product=1")
	testkit.Check(t, status == 0 && out == published && strings.Contains(log, "--unpublished"), "exported of what is published are, %d,\n%s\n%s", status, out, log)
	for wrong, field := range map[string]string{`"REJECTED"`: "moderation.status", `"OFFENSIVE"`: "moderation.code", `"MODE"`: "moderation.code"} {
		write(t, dir, "wrong", strings.Replace(moderatedComments, wrong, `"REPLIED"`, 1))
		wantRun(t, dir, "", exitFound, "", "import", "--data-dir=second", "wrong")
		got := read(t, dir, "wrong.rejects.ndjson")
		testkit.Check(t, strings.Contains(got, field), "%v", got)
	}
}
