//go:build linux

package siege

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// Eight comments of characters that each stand for eighteen, in one request, wait for a
// moderator and cost the server next to nothing.
func TestTextsThatGrowAreBounded(t *testing.T) {
	words := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(words, []byte("idiot\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := begin(t, "--moderation=post", "--hold-links", "--blocked-words="+words)
	document, variables := "mutation(", map[string]any{}
	fields := ""
	for i := range 8 {
		document += fmt.Sprintf("$c%d:CreateCommentInput!", i)
		fields += fmt.Sprintf("c%d:createComment(input:$c%d){comment{status}}", i, i)
		variables[fmt.Sprintf("c%d", i)] = map[string]any{"productId": "grown", "rating": 5, "language": "ar", "text": strings.Repeat("\ufdfa", 20_000)}
	}
	withstands(t, s, attack{
		"eight comments that grow", post(document+"){"+fields+"}", variables).with("Authorization", "Bearer "+s.token(t, "alice", "author")),
		func(a answer) error {
			if n := bytes.Count(a.start, []byte(`"status":"PENDING"`)); n != 8 && a.status != 429 {
				return fmt.Errorf("%d of 8 wait", n)
			}
			return nil
		},
	})
}
