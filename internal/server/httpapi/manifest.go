package httpapi

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/graph"
	"product-comments/graph/document"
	"product-comments/internal/server/admission"
)

// Manifest holds documents by their ids and by their SHA-256 in hexadecimal digits.
type Manifest map[string]string

// has reports whether the manifest has exactly this document.
func (m Manifest) has(text string) bool {
	_, ok := m[hashOf(text)]
	return ok
}

const manifestFormat = "apollo-persisted-query-manifest"

// operation is an entry of a manifest.
type operation struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Body string `json:"body"`
}

// ReadManifest reads a file that Apollo's generate-persisted-query-manifest wrote (version 1), or
// Relay's compiler: an object of documents by id. Every document must be valid within these
// limits. An id that looks like a SHA-256 must be the hash of its document; other ids are
// arbitrary. Unknown members are ignored. Errors name the file and the entry.
func ReadManifest(path string, limits admission.Limits) (Manifest, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the persisted queries: %w", err)
	}
	operations, err := manifestOperations(content)
	if err != nil {
		return nil, fmt.Errorf("%s is not a manifest of persisted queries: %w", path, err)
	}
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	reader := document.NewReader(limits.Documents(schema, true))
	m := make(Manifest, 2*len(operations))
	for i, o := range operations {
		entry := fmt.Sprintf("%s: operations[%d]", path, i)
		switch {
		case o.Name != "":
			entry += fmt.Sprintf(" (%s)", o.Name)
		case o.ID != "":
			entry += fmt.Sprintf(" (%.64s)", o.ID)
		}
		sum := hashOf(o.Body)
		switch {
		case o.ID == "" || len(o.ID) > longestID:
			return nil, fmt.Errorf("%s: its id must have 1 to %d bytes, it has %d", entry, longestID, len(o.ID))
		case isHash(o.ID) && o.ID != sum:
			return nil, fmt.Errorf("%s: its id must be the SHA-256 of its body, which is %s; it is %q", entry, sum, o.ID)
		}
		if other, ok := m[o.ID]; ok && other != o.Body {
			return nil, fmt.Errorf("%s: its id %q is used by another entry", entry, o.ID)
		}
		if _, problems := reader.Read(context.Background(), o.Body); len(problems) > 0 {
			return nil, fmt.Errorf("%s: its body is not a document of this schema: %w", entry, problems[0])
		}
		m[o.ID], m[sum] = o.Body, o.Body
	}
	return m, nil
}

// manifestOperations reads either format. Repeated ids are refused.
func manifestOperations(content []byte) ([]operation, error) {
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(content, &members); err != nil {
		return nil, err
	}
	if _, apollo := members["format"]; !apollo {
		return relayOperations(members)
	}
	var file struct {
		Format     string      `json:"format"`
		Version    int         `json:"version"`
		Operations []operation `json:"operations"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	if file.Format != manifestFormat || file.Version != 1 {
		return nil, fmt.Errorf("its format must be %q and its version 1; they are %q and %d", manifestFormat, file.Format, file.Version)
	}
	return file.Operations, nil
}

func relayOperations(members map[string]jsontext.Value) ([]operation, error) {
	var list []operation
	for _, id := range slices.Sorted(maps.Keys(members)) {
		o := operation{ID: id}
		if err := json.Unmarshal(members[id], &o.Body); err != nil {
			return nil, fmt.Errorf("%.64q is neither the format of an Apollo manifest nor an id with a document: %w", id, err)
		}
		list = append(list, o)
	}
	return list, nil
}
