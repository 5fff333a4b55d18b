package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/internal/testkit"
)

// What a server is told of moderation decides about what it takes, and a product may go a
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
	got := s.by(t, data, "bob", access.Author, `{comment(id:"`+id+`"){status}}`)
	testkit.Check(t, strings.Contains(got, "PENDING"), "reported, it is %s", got)
	for i, test := range []struct{ mode, want string }{{"pre", "PENDING"}, {"off", "PUBLISHED"}, {"shop", "PUBLISHED"}} {
		wantRun(t, dir, "", 0, "product 42: comments are moderated as "+test.mode+" says", "product", "moderation", "42", test.mode, "--data-dir=data")
		title := map[string]string{"off": "idiot"}[test.mode] // which would be held
		tries := 0
		waitUntil(t, "the server moderates as "+test.mode+" says", func() bool {
			tries++
			_, got := s.writes(t, data, fmt.Sprintf("dave-%d-%d", i, tries), "Fine "+title)
			return got == test.want
		})
	}
	got = s.by(t, data, "mia", access.Moderator, `{moderationQueue{nodes{statusReason}}}`)
	testkit.Check(t, strings.Count(got, "statusReason") >= 4, "the queue: %s", got)
}
