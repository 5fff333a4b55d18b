package store

import (
	"strings"
	"time"

	"product-comments/store/comment/compressed"
	"product-comments/store/comment/item"
	"product-comments/store/read/cache"
)

// textAge bounds how long a text stays in memory, even one that was erased from the table. Only
// an item with the same compressed bytes can reach it.
const textAge = 10 * time.Minute

// newTexts returns a cache of decompressed texts by their compressed bytes. Decompression takes
// a sixth of a page's processor time. Entries are never outdated, since the text follows from
// the compressed bytes.
func newTexts(bytes int64, now func() time.Time) *cache.Cache[string, compressed.Words] {
	size := func(frame string, w compressed.Words) int { return len(frame) + w.Size() }
	return cache.New(cache.Options[string, compressed.Words]{MaxBytes: bytes, Size: size, Now: now})
}

// unpack decompresses author, title and text of a comment, if they are compressed. It returns
// an Internal error if they are damaged.
func (s *Store) unpack(c *item.Stored) error {
	if c.Frame == "" {
		return nil
	}
	if words, ok := s.texts.Get(c.Frame); ok {
		c.SetWords(words)
		return nil
	}
	frame := strings.Clone(c.Frame) // it is a substring of a whole response
	if err := c.Unpack(); err != nil {
		return err
	}
	s.texts.Set(frame, c.Words(), s.t.Now().Add(textAge))
	return nil
}
