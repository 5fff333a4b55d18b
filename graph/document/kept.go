package document

import (
	"hash/maphash"
	"time"
	"unsafe"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"product-comments/internal/cache"
)

const (
	keptBytes  = 32 << 20 // of all documents together
	sawRecent  = 8192     // documents that were sent once, of which eight bytes are kept
	keptAtMost = 365 * 24 * time.Hour
)

// tokenBytes is the most memory that a token of a text takes when it is parsed: no part of a
// document is larger than a field, whose position is a token, in a slice that may have
// grown to twice what it holds.
const tokenBytes = int(unsafe.Sizeof(ast.Field{}) + unsafe.Sizeof(lexer.Token{}) + 2*unsafe.Sizeof(ast.Selection(nil)))

// kept are valid documents that were sent at least twice. What is sent once is
// usually never sent again, because it has values in place of variables, and would
// push out what is.
type kept struct {
	documents *cache.Cache[string, *ast.QueryDocument]
	once      *lru.Cache[uint64, struct{}]
	seed      maphash.Seed
}

func newKept() *kept {
	once, err := lru.New[uint64, struct{}](sawRecent)
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	return &kept{
		documents: cache.New(cache.Options[string, *ast.QueryDocument]{MaxBytes: keptBytes, Size: func(text string, _ *ast.QueryDocument) int {
			return 2*len(text) + count(&ast.Source{Input: text})*tokenBytes // the lexer copies strings that have escapes
		}}),
		once: once,
		seed: maphash.MakeSeed(),
	}
}

// sawBefore reports whether a text was sent before, of late.
func (k *kept) sawBefore(text string) bool {
	before, _ := k.once.ContainsOrAdd(maphash.String(k.seed, text), struct{}{})
	return before
}

func (k *kept) keep(text string, doc *ast.QueryDocument) {
	k.documents.Set(text, doc, time.Now().Add(keptAtMost))
}
