package store_test

import (
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
)

// Made-up languages become plain ones by edits that everybody sees; the others
// do not change, and running it again changes nothing.
func TestPlainLanguages(t *testing.T) {
	s, _ := newStore(t)
	at := time.Unix(1_700_000_000, 0).UTC()
	var comments []store.Comment
	plain := map[string]string{"en": "en", "en-x-shop": "en", "pt-BR-u-ca-gregory": "pt-BR", "de-AT": "de-AT", "cmn-Hans": "zh-Hans", "sgn-US": "ase"}
	for language := range plain {
		comments = append(comments, store.Comment{ID: language, ProductID: "42", Rating: 3, Language: language, CreatedAt: at})
	}
	importAll(t, s, comments)
	told := 0
	if n, err := s.PlainLanguages(t.Context(), "42", func(n int) { told = n }); n != 4 || told != 4 || err != nil {
		t.Errorf("changed %d, told %d, %v", n, told, err)
	}
	for id, want := range plain {
		got := get(t, s, id)
		version := 1
		if id != want {
			version = 2
		}
		testkit.Check(t, got.Language == want && got.Version == version, "%s is %s at version %d, want %s", id, got.Language, got.Version, want)
	}
	if page, err := s.Page(t.Context(), filterOf("42", "en", 0), store.Window{Limit: 10}); err != nil || len(page.Items) != 2 {
		t.Errorf("%d comments in English, %v", len(page.Items), err)
	}
	if n, err := s.PlainLanguages(t.Context(), "42", nil); n != 0 || err != nil {
		t.Errorf("once more it changed %d, %v", n, err)
	}
}

// What is not published gets plain languages, too, and no one has to look at any of it
// for that.
func TestPlainLanguagesOfWhatIsModerated(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	var comments []store.Comment
	for state := range item.States {
		for _, product := range []string{"42", "43"} {
			comments = append(comments, store.Comment{
				ID: product + state.String(), ProductID: product, Rating: 3, Language: "en-x-shop", CreatedAt: time.Unix(1_700_000_000, 0).UTC(), State: state,
			})
		}
	}
	importAll(t, s, comments)
	if n, err := s.PlainLanguages(t.Context(), "42", nil); n != 3 || err != nil {
		t.Errorf("changed %d, %v", n, err)
	}
	for _, c := range comments {
		want := "en-x-shop"
		if c.ProductID == "42" && c.State != item.Withdrawn {
			want = "en"
		}
		got, err := s.Get(t.Context(), c.ID)
		testkit.Check(t, err == nil && got.State == c.State && got.Language == want, "%s is %s in %s, want %s: %v", c.ID, got.State, got.Language, want, err)
	}
}
