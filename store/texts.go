package store

import (
	"context"
	"strings"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/item"
	"product-comments/store/pack"
)

// textAge is the longest time that a text stays in memory, also one that was erased from
// the table. Only an item with the same compressed bytes reaches it.
const textAge = 10 * time.Minute

// newTexts returns an empty cache of decompressed texts by compressed ones. Decompressing
// the texts of a page takes a sixth of the page's processor time. What is kept is a function
// of its key, so it is never outdated.
func newTexts(bytes int64, now func() time.Time) *cache.Cache[string, pack.Words] {
	size := func(frame string, w pack.Words) int { return len(frame) + w.Size() }
	return cache.New(cache.Options[string, pack.Words]{MaxBytes: bytes, Size: size, Now: now})
}

// unpack decompresses author, title and text of a comment, if they are compressed. It
// returns an Internal error if they are damaged, and Unavailable if the store does not
// answer.
func (s *Store) unpack(ctx context.Context, c *item.Stored) error {
	if c.Frame == "" {
		return nil
	}
	if words, ok := s.texts.Get(c.Frame); ok {
		c.SetWords(words)
		return nil
	}
	frame := strings.Clone(c.Frame) // which is a part of a whole answer
	if err := c.UnpackWith(ctx, s.settings); err != nil {
		return err
	}
	s.texts.Set(frame, pack.Words{Author: c.Author, Title: c.Title, Text: c.Text}, s.t.Now().Add(textAge))
	return nil
}
