package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/store/item"
	"product-comments/store/moderation"
)

// Whatever is wrong with how comments are to be moderated is said at the start, by its flag.
func TestModerationFlags(t *testing.T) {
	words := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(words, []byte("idiot\n???\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fine := moderationFlags{Moderation: "post", Reports: 3}
	for want, change := range map[string]func(*moderationFlags){
		"--reports is 0":               func(f *moderationFlags) { f.Reports = 0 },
		"--author-pace is -1":          func(f *moderationFlags) { f.AuthorPace = -1 },
		"--blocked-words":              func(f *moderationFlags) { f.BlockedWords = words + ".none" },
		words + `: line 2: "???"`:      func(f *moderationFlags) { f.BlockedWords = words },
		`--moderation: "sometimes" is`: func(f *moderationFlags) { f.Moderation = "sometimes" },
	} {
		f := fine
		change(&f)
		if _, err := f.moderates(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	if err := os.WriteFile(words, []byte("idiot\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fine.BlockedWords = words
	o, err := fine.moderates()
	if err != nil || o.Mode != moderation.Post || o.Rules.Of(&item.Comment{Title: "Idiot"}, nil) == "" {
		t.Errorf("%+v, %v", o, err)
	}
}

// What a server is told of moderation decides about what it takes, and a product may go a
// way of its own.
func TestProductModeration(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.WriteFile(filepath.Join(dir, "words"), []byte("# rude\nidiot\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, data, "--moderation=post", "--reports=1", "--blocked-words="+filepath.Join(dir, "words"), "--hold-links", "--author-pace=3")
	for _, test := range []struct{ subject, title, want string }{
		{"alice", "Fine", "PUBLISHED"},
		{"alice", "An IDIOT made it", "PENDING"},
		{"alice", "see www.example.com", "PENDING"},
		{"alice", "Fine", "PENDING"}, // the fourth of an hour
	} {
		if _, got := s.writes(t, data, test.subject, test.title); got != test.want {
			t.Errorf("%q of %s is %s, want %s", test.title, test.subject, got, test.want)
		}
	}
	id, _ := s.writes(t, data, "bob", "Fine")
	s.by(t, data, "carol", access.Author, `mutation{reportComment(input:{id:"`+id+`"}){comment{id}}}`)
	if got := s.by(t, data, "bob", access.Author, `{comment(id:"`+id+`"){status}}`); !strings.Contains(got, "PENDING") {
		t.Errorf("reported, it is %s", got)
	}
	for i, test := range []struct{ mode, want string }{{"pre", "PENDING"}, {"off", "PUBLISHED"}, {"shop", "PUBLISHED"}} {
		out, log, status := run(t, dir, "", "product", "moderation", "42", test.mode, "--data-dir=data")
		if status != 0 || !strings.Contains(out, "product 42: comments are moderated as "+test.mode+" says") {
			t.Errorf("%s: %d %s%s", test.mode, status, out, log)
		}
		title := map[string]string{"off": "idiot"}[test.mode] // which would be held
		tries := 0
		waitUntil(t, "the server moderates as "+test.mode+" says", func() bool {
			tries++
			_, got := s.writes(t, data, fmt.Sprintf("dave-%d-%d", i, tries), "Fine "+title)
			return got == test.want
		})
	}
	if got := s.by(t, data, "mia", access.Moderator, `{moderationQueue{nodes{statusReason}}}`); strings.Count(got, "statusReason") < 4 {
		t.Errorf("the queue: %s", got)
	}
}
