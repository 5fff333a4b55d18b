package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if err != nil || o.Mode != moderation.Post || o.Rules.Of(&item.Comment{Title: "Idiot"}) == "" {
		t.Errorf("%+v, %v", o, err)
	}
}
