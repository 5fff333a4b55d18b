package fastpath

import (
	"testing"

	"pgregory.net/rapid"
)

// FuzzSameAsGqlgen is TestSameAsGqlgen guided by coverage.
func FuzzSameAsGqlgen(f *testing.F) {
	f.Add([]byte("some bytes to begin with, from which an operation and a shop are drawn"))
	f.Fuzz(rapid.MakeFuzz(sameAsGqlgen))
}
