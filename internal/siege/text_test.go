//go:build linux

package siege

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
