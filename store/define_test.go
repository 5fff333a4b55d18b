package store_test

import (
	"testing"

	"product-comments/store"
	"product-comments/store/attributes"
)

// define gives a product definitions, before it has comments.
func define(t *testing.T, s *store.Store, product string, list []attributes.Definition) {
	t.Helper()
	if _, err := s.Attributes().Define(t.Context(), attributes.Change{Scope: attributes.Scope{Product: product}, Definitions: list}); err != nil {
		t.Fatal(err)
	}
	must(t, s.Columns().Fill(t.Context(), product))
}
