package document

import (
	"time"
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"product-comments/internal/cache"
)

const (
	keptBytes  = 32 << 20 // of all documents together
	keptAtMost = 365 * 24 * time.Hour
)

// tokenBytes is the most memory that a token of a text takes when it is parsed: no part of a
// document is larger than a field, whose position is a token, in a slice that may have
// grown to twice what it holds.
const tokenBytes = int(unsafe.Sizeof(ast.Field{}) + unsafe.Sizeof(lexer.Token{}) + 2*unsafe.Sizeof(ast.Selection(nil)))

// newKept returns the cache of valid documents by their texts. It prefers what is asked for
// often, so documents that are sent once, because they have values in place of variables,
// do not push out what is sent again.
func newKept() *cache.Cache[string, *ast.QueryDocument] {
	return cache.New(cache.Options[string, *ast.QueryDocument]{MaxBytes: keptBytes, Size: func(text string, _ *ast.QueryDocument) int {
		return 2*len(text) + count(&ast.Source{Input: text})*tokenBytes // the lexer copies strings that have escapes
	}})
}
