package httpapi

import (
	"bytes"
	"fmt"
	"os"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/graph"
)

// Manifest holds the documents that are known from the start. Its keys are their
// SHA-256 in hexadecimal digits.
type Manifest map[string]string

const manifestFormat = "apollo-persisted-query-manifest"

// ReadManifest reads a file in the format of Apollo's persisted query manifests,
// version 1. Every document must be one that the service would run: valid for the
// schema, with at most maxTokens tokens. Unknown members are ignored. Errors name
// the file and the entry.
func ReadManifest(path string, maxTokens int) (Manifest, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the persisted queries: %w", err)
	}
	var file struct {
		Format     string `json:"format"`
		Version    int    `json:"version"`
		Operations []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
			Body string `json:"body"`
		} `json:"operations"`
	}
	if err := decodeJSON(bytes.NewReader(content), &file); err != nil {
		return nil, fmt.Errorf("%s is not a manifest of persisted queries: %w", path, err)
	}
	if file.Format != manifestFormat || file.Version != 1 {
		return nil, fmt.Errorf("%s is not a manifest of persisted queries: its format must be %q and its version 1, they are %q and %d",
			path, manifestFormat, file.Format, file.Version)
	}
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	manifest := make(Manifest, len(file.Operations))
	for i, o := range file.Operations {
		entry := fmt.Sprintf("%s: operations[%d]", path, i)
		if o.Name != "" {
			entry += fmt.Sprintf(" (%s)", o.Name)
		}
		if sum := hashOf(o.Body); o.ID != sum {
			return nil, fmt.Errorf("%s: its id must be the SHA-256 of its body, which is %s; it is %q", entry, sum, o.ID)
		}
		if err := check(schema, o.Body, maxTokens); err != nil {
			return nil, fmt.Errorf("%s: its body is not a document of this schema: %w", entry, err)
		}
		manifest[o.ID] = o.Body
	}
	return manifest, nil
}

// check parses and validates a document as gqlgen does with that of a request.
func check(schema *ast.Schema, document string, maxTokens int) error {
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, maxTokens)
	if err != nil {
		return err
	}
	if len(parsed.Operations) == 0 {
		return fmt.Errorf("it has no operation")
	}
	if problems := validator.ValidateWithRules(schema, parsed, rules.NewDefaultRules()); len(problems) > 0 {
		return problems[0]
	}
	return nil
}
