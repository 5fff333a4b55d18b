//go:build linux

package siege

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"
)

// persist registers a document under its hash, and returns the hash.
func persist(t *testing.T, s *server, document string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(document))
	hash := hex.EncodeToString(sum[:])
	body, err := json.Marshal(map[string]any{
		"query":      document,
		"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := s.send(raw("application/json", body), 5*time.Second); err != nil || a.code() != "" {
		t.Fatalf("%v %s", err, a.start)
	}
	return hash
}
