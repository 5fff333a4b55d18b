package statistics_test

import (
	"fmt"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// languages returns so many different canonical languages.
func languages(t testing.TB, n int) (out []string) {
	t.Helper()
	seen := map[string]bool{}
	for i := 0; len(out) < n; i++ {
		if i == 26*26*2 {
			t.Fatalf("there are only %d", len(out))
		}
		tag := string([]byte{'a' + byte(i/26%26), 'a' + byte(i%26)}) + []string{"", "-GB"}[i/26/26]
		if canonical, err := item.CanonicalLanguage("language", tag); err == nil && !seen[canonical] {
			seen[canonical] = true
			out = append(out, canonical)
		}
	}
	return out
}

// A product takes comments in so many languages and no more, whether they were
// counted already or are only hinted.
func TestLanguagesOfAProductAreBounded(t *testing.T) {
	s := newStore(t, store.Options{MetaAge: time.Nanosecond})
	all := languages(t, stats.MaxLanguages+1)
	extra := all[stats.MaxLanguages]
	var comments []store.Comment
	for i, language := range all[:stats.MaxLanguages] {
		comments = append(comments, store.Comment{ID: fmt.Sprint(i), ProductID: "42", Rating: 1 + i%5, Language: language, CreatedAt: time.Unix(int64(i), 0)})
	}
	if _, err := s.Import(t.Context(), comments); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"hinted", "counted"} {
		_, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: extra})
		if errs.CodeOf(err) != errs.BadUserInput {
			t.Errorf("%s: one language more: %v", state, err)
		}
		if _, err := s.Update(t.Context(), store.Change{ID: "0", Language: &extra}); errs.CodeOf(err) != errs.BadUserInput {
			t.Errorf("%s: a change to one language more: %v", state, err)
		}
		for _, n := range []store.NewComment{{ProductID: "42", Rating: 5, Language: all[7]}, {ProductID: "43", Rating: 5, Language: extra}} {
			if _, err := s.Create(t.Context(), n); err != nil {
				t.Errorf("%s: %+v: %v", state, n, err)
			}
		}
		storetest.Project(t, s.Projector())
		s = store.New(storetest.Client(t), s.Table(), store.Options{})
	}
}
