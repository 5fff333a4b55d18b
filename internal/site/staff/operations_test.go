package staff_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/site/staff"
	"product-comments/internal/testing/testkit"
)

// A server that executes only known operations knows all of the desk.
func TestOperations(t *testing.T) {
	known := ""
	for _, document := range staff.Operations() {
		known += document
	}
	for _, file := range testkit.Value(filepath.Glob("[of]*s/*.graphql"))(t) {
		text := string(testkit.Value(os.ReadFile(filepath.Clean(file)))(t))
		testkit.Check(t, strings.Contains(known, strings.TrimSpace(text)), "%s is in no document", file)
	}
}
