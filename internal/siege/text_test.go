//go:build linux

package siege

import (
	"testing"
	"time"
)

// Titles and names that show as something else than they are do not get in.
func TestTextsThatDeceiveAreRefused(t *testing.T) {
	s := attacked(t)
	bearer := "Bearer " + s.token(t, "alice", "author")
	create := func(field, text string) request {
		return post(`mutation($i:CreateCommentInput!){createComment(input:$i){comment{id}}}`,
			map[string]any{"i": map[string]any{"productId": "deceived", "rating": 5, "language": "en", field: text}}).with("Authorization", bearer)
	}
	for name, text := range map[string]string{
		"a bidirectional override": "5 stars\u202e!dab",
		"a bidirectional isolate":  "a\u2066b",
		"only zero-width":          "\u200b\u200b",
		"a zero-width space":       "\ufeff",
		"a line separator":         "a\u2028b",
		"a paragraph separator":    "a\u2029b",
		"a non-character":          "a\ufffeb",
		"another non-character":    "a\U0001ffffb",
		"a line break":             "a\nb",
		"a control character":      "a\x07b",
		"a C1 control":             "a\u0085b",
	} {
		for _, field := range []string{"title", "author"} {
			a, err := s.send(create(field, text), 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if a.code() != "BAD_USER_INPUT" {
				t.Errorf("%s in %s: %d %.200s", name, field, a.status, a.start)
			}
		}
	}
	for _, text := range []string{"Sehr gut 👍🏽", "نظرة عامة", "👩‍👩‍👧", "می\u200cخواهم", "e\u0301"} {
		if a, err := s.send(create("title", text), 5*time.Second); err != nil || a.code() != "" {
			t.Errorf("%q is refused: %v %s", text, err, a.start)
		}
	}
}
