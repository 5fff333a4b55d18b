//go:build linux

package siege

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"product-comments/internal/files/ndjson"
	"product-comments/store"
)

// Products of every server here: 42 is an ordinary one; the comments of wide are as
// long as an index holds them, the comments of long products as long as a comment may be;
// and evil has a comment in each of many languages.
const (
	ordinary     = 200    // comments of product 42
	longProducts = 2      // long-0, …
	longComments = 100    // of each
	longest      = 20_000 // characters
	widest       = 4_096  // bytes
)

// comments returns the comments of every server and of so many long products, in the
// format of imports.
func comments(longProducts int) []byte {
	var b bytes.Buffer
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range ordinary {
		b.Write(ndjson.Append(nil, &store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", CreatedAt: began.Add(time.Duration(i) * time.Minute),
			Author: "Ana", Title: "Does what it says", Text: strings.Repeat("It came on time and works as described. ", 8),
		}))
	}
	for i := range longComments {
		b.Write(ndjson.Append(nil, &store.Comment{
			ID: fmt.Sprintf("wide-%d", i), ProductID: "wide", Rating: 5, Language: "en",
			CreatedAt: began.Add(time.Duration(i) * time.Minute), Text: strings.Repeat("w", widest),
		}))
	}
	for _, language := range strings.Fields("ar cs da de el en es fi fr he hu it ja") {
		for i, region := range strings.Fields("AT BE CA CH DE ES FR GB IE US") {
			b.Write(ndjson.Append(nil, &store.Comment{
				ID: "evil-" + language + region, ProductID: "evil", Rating: 1 + i%5, Language: language + "-" + region, CreatedAt: began,
			}))
		}
	}
	text := strings.Repeat("𝒜", longest) // four bytes each, the most that a character has
	for p := range longProducts {
		for i := range longComments {
			b.Write(ndjson.Append(nil, &store.Comment{
				ID: fmt.Sprintf("long-%d-%d", p, i), ProductID: fmt.Sprintf("long-%d", p), Rating: 5, Language: "en",
				CreatedAt: began.Add(time.Duration(i) * time.Minute), Text: text,
			}))
		}
	}
	return b.Bytes()
}

// fill imports the comments, waits until they are counted, and learns how long a
// visitor waits when nothing else happens.
func (s *server) fill(longProducts int, baseline time.Duration) error {
	if _, err := s.command(comments(longProducts), "import", "-"); err != nil {
		return err
	}
	want, last := fmt.Sprintf(`"totalCount":%d`, longComments), `{product(id:"wide"){stats{totalCount}}}`
	if longProducts > 0 {
		last = fmt.Sprintf(`{product(id:"long-%d"){stats{totalCount}}}`, longProducts-1)
	}
	for waits := lasting(patience); ; {
		a, err := s.send(query(last), 5*time.Second)
		if err == nil && strings.Contains(string(a.start), want) {
			break
		}
		if !waits() {
			return fmt.Errorf("the comments are not counted: %v %s", err, a.start)
		}
		time.Sleep(20 * time.Millisecond) // polls another process
	}
	n := newNeighbour(s)
	told := n.during(func() { time.Sleep(baseline) })
	if told.failed != nil {
		return told.failed
	}
	s.usual = told.median()
	return nil
}
