package command

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/testing/testkit"
)

// oldest is the first release, whose table this version writes with -rewrite, until it is released.
// From then on the files of testdata/tables stay as they are, and later releases add theirs.
const oldest = "0.1.0"

// asked are the questions to the table of a release. Its file has them with their answers.
var asked = []string{
	`{product(id:"1"){stats{totalCount averageRating ratingCounts{rating count}} attributeStats(key:"fit"){count average} comments(language:"en",ratings:[4,5]){totalCount nodes{commentId rating text author helpfulCount attributes{value}}}}}`,
	`{product(id:"1"){comments(orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC}){nodes{commentId}}}}`,
	`{product(id:"1"){comments(first:1,page:2){offset nodes{commentId reply{text}}}}}`,
	`{leaderboard{edges{fiveStarCount node{productId}}}}`,
	`{moderationQueue{nodes{commentId state reportCount history{from to by}}}}`,
	`{user(id:"alice"){orders{nodes{orderId status}} comments{nodes{rating verifiedPurchase state}}}}`,
}

// Tables that releases wrote are read, counted and written to by this version.
func TestTablesOfReleases(t *testing.T) {
	t.Parallel()
	if f := flag.Lookup("rewrite"); f.Value.String() == "true" {
		writeTable(t, "testdata/tables/"+oldest)
	}
	tables := testkit.Value(filepath.Glob("testdata/tables/*.tar.gz"))(t)
	testkit.Need(t, len(tables) > 0, "there are no tables: run this test with -rewrite")
	for _, table := range tables {
		dir := t.TempDir()
		testkit.Must(t, exec.Command("tar", "-xzf", table, "-C", dir).Run())
		wantRun(t, dir, "", 0, "", "stats", "verify", "--data-dir=data")
		s := startServer(t, filepath.Join(dir, "data"))
		token := moderatorOf(t, dir)
		said := strings.Split(strings.TrimSpace(read(t, ".", strings.TrimSuffix(table, ".tar.gz")+".txt")), "\n")
		testkit.Need(t, len(said) > 5 && len(said)%2 == 0, "%s: %d lines", table, len(said))
		for i := 0; i < len(said); i += 2 {
			testkit.Equal(t, s.answer(t, token, said[i]), said[i+1], "%s: answer to %s", table, said[i])
		}
		s.answer(t, token, `mutation{createComment(input:{productId:"1",rating:5,language:"en"}){comment{commentId}}}`)
		counted := s.answer(t, token, `{product(id:"1"){stats{totalCount}}}`)
		testkit.Equal(t, counted, `{"data":{"product":{"stats":{"totalCount":4}}}}`, "%s: after another comment:", table)
		s.stop(t, syscall.SIGTERM)
	}
}

func moderatorOf(t *testing.T, dir string) string {
	return "Bearer " + strings.TrimSpace(wantRun(t, dir, "", 0, "", "token", "--data-dir=data", "--subject=mia", "--role=moderator"))
}

// answer returns an answer without errors and without its cost.
func (s *server) answer(t *testing.T, token, query string) string {
	t.Helper()
	status, got := s.as(t, token, query)
	testkit.Need(t, status == 200 && !strings.Contains(got, `"errors"`), "%s: %d %s", query, status, got)
	return costs.ReplaceAllString(got, "}")
}

// writeTable writes a table with what shops have to an archive, and the answers of queries next to it.
func writeTable(t *testing.T, path string) {
	dir := t.TempDir()
	write(t, dir, "definitions", definitionsFile)
	write(t, dir, "comments", strings.Replace(commentsWithAttributes, `,"other":[]`, "", 1))
	write(t, dir, "orders", `{"orderId":"o","subject":"alice","status":"DELIVERED","placedAt":"2026-01-01T00:00:00Z","deliveredAt":"2026-01-03T00:00:00Z","lines":[{"productId":"2","quantity":1}]}`+"\n")
	wantRun(t, dir, "", 0, "", "import", "--data-dir=data", "--definitions=definitions", "comments")
	wantRun(t, dir, "", 0, "", "import", "--data-dir=data", "--orders", "orders")
	s := startServer(t, filepath.Join(dir, "data"), "--moderation=pre")
	mia := moderatorOf(t, dir)
	alice := "Bearer " + strings.TrimSpace(wantRun(t, dir, "", 0, "", "token", "--data-dir=data", "--subject=alice"))
	bought := strings.Split(s.answer(t, alice, `mutation{createComment(input:{productId:"2",rating:2,language:"en",text:"Too small"}){comment{commentId}}}`), `"`)[9]
	for _, do := range []struct{ token, mutation string }{
		{alice, `createComment(input:{productId:"3",rating:3,language:"en"}){comment{commentId}}`},
		{alice, `voteHelpful(input:{id:"b",vote:HELPFUL}){comment{commentId}}`},
		{alice, `reportComment(input:{id:"c",reason:"spam"}){comment{commentId}}`},
		{mia, `approveComment(input:{id:"` + bought + `"}){comment{commentId}}`},
		{mia, `replyToComment(input:{id:"b",text:"Thank you"}){comment{commentId}}`},
	} {
		s.answer(t, do.token, "mutation{"+do.mutation+"}")
	}
	waitUntil(t, "everything is counted", func() bool {
		_, _, status := run(t, dir, "", "stats", "verify", "--data-dir=data")
		_, sorted := s.as(t, mia, asked[1]) // its index is built after the first vote or definition
		return status == 0 && !strings.Contains(sorted, `"errors"`)
	})
	page := s.answer(t, mia, `{product(id:"1"){comments(first:1){pageInfo{endCursor}}}}`)
	cursor := strings.Split(page, `"`)[11]
	var text strings.Builder
	for _, query := range append(asked, `{product(id:"1"){comments(after:"`+cursor+`"){nodes{commentId}}}}`) {
		text.WriteString(query + "\n" + s.answer(t, mia, query) + "\n")
	}
	s.stop(t, syscall.SIGTERM)
	testkit.Must(t, os.WriteFile(path+".txt", []byte(text.String()), 0o644))
	out, err := exec.Command("tar", "-C", dir, "--sort=name", "--owner=0", "--group=0", "-czf", path+".tar.gz", "data").CombinedOutput()
	testkit.Need(t, err == nil, "%v: %s", err, out)
}
