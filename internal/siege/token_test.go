//go:build linux

package siege

import (
	"strings"
	"testing"
)

// token returns a token that the server accepts.
func (s *server) token(t *testing.T, subject, role string) string {
	t.Helper()
	out, err := s.command(nil, "token", "--subject="+subject, "--role="+role)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}
