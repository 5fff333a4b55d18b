// Package feed writes comments as Google's product review feed, an XML file by the schema 2.4. A feed
// is full: Google deletes the reviews that the next one lacks.
package feed

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"product-comments/graph/globalid"
	"product-comments/store"
	"product-comments/store/key/sealed"
)

// MaxBytes is the maximum size of a file, before compression.
const MaxBytes = 100_000_000

// Options are what a feed needs besides comments.
type Options struct {
	Publisher string // the shop's name
	// Secret is the secret of the deployment from which the ids of reviewers follow.
	Secret []byte
	// Photo returns the address of a photo, nil for a feed without photos.
	Photo func(store.Photo) string
	Files *Files
	// Limit is the maximum size of a file in bytes; 0 means MaxBytes.
	Limit int
}

// Writer writes a feed, review by review.
type Writer struct {
	o       Options
	key     []byte // of reviewers' ids
	part    *part  // nil before the first review
	written int    // bytes of the part
	b       bytes.Buffer
}

// New returns a writer. Close ends the feed.
func New(o Options) (*Writer, error) {
	if o.Limit == 0 {
		o.Limit = MaxBytes
	}
	key, err := sealed.Derive("reviewer", o.Secret, sha256.Size)
	return &Writer{o: o, key: key}, err
}

const (
	begin = xml.Header + `<feed xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.google.com/shopping/reviews/schema/product/2.4/product_reviews.xsd">
<version>2.4</version>
<publisher><name>%s</name></publisher>
<reviews>
`
	end = "</reviews>\n</feed>\n"
)

// Add writes a published comment about a product. It reports false for a comment without words, which
// the schema forbids.
func (w *Writer) Add(c *store.Comment, p *Product) (bool, error) {
	content := c.Text
	if content == "" {
		content = c.Title
	}
	if content = clean(content); strings.TrimSpace(content) == "" {
		return false, nil
	}
	w.b.Reset()
	w.review(c, content, p)
	w.b.WriteByte('\n')
	if w.part != nil && w.written+w.b.Len()+len(end) > w.o.Limit {
		if err := w.endPart(); err != nil {
			return false, err
		}
	}
	if err := w.beginPart(); err != nil {
		return false, err
	}
	return true, w.write(w.b.Bytes())
}

// Close ends the feed, and puts its files in the place of the former ones.
func (w *Writer) Close() error {
	if err := w.beginPart(); err != nil { // a feed without reviews
		return err
	}
	if err := w.endPart(); err != nil {
		return err
	}
	return w.o.Files.commit()
}

func (w *Writer) beginPart() (err error) {
	if w.part != nil {
		return nil
	}
	if w.part, err = w.o.Files.next(); err != nil {
		return err
	}
	w.written = 0
	return w.write(fmt.Appendf(nil, begin, escape(w.o.Publisher)))
}

func (w *Writer) endPart() error {
	if err := w.write([]byte(end)); err != nil {
		return err
	}
	defer func() { w.part = nil }()
	return w.part.end()
}

func (w *Writer) write(b []byte) error {
	n, err := w.part.Write(b)
	w.written += n
	return err
}

// review appends a review, with the elements in the order of the schema.
func (w *Writer) review(c *store.Comment, content string, p *Product) {
	w.open("review")
	w.text("review_id", globalid.Text(globalid.Comment, c.ID))
	w.open("reviewer")
	if name := clean(c.Author); strings.TrimSpace(name) != "" {
		w.text("name", name)
	} else {
		w.b.WriteString(`<name is_anonymous="true">Anonymous</name>`)
	}
	if c.Owner != "" {
		w.text("reviewer_id", w.reviewerID(c.Owner))
	}
	w.close("reviewer")
	if c.VerifiedPurchase != nil {
		w.text("is_verified_purchase", strconv.FormatBool(*c.VerifiedPurchase))
	}
	w.text("is_incentivized_review", strconv.FormatBool(c.Incentive != ""))
	w.text("review_timestamp", c.CreatedAt.UTC().Format(time.RFC3339))
	if c.Text != "" {
		w.some("title", c.Title)
	}
	w.text("content", content)
	w.text("review_language", c.Language)
	w.b.WriteString(`<review_url type="group">` + escape(p.URL) + `</review_url>`)
	if w.o.Photo != nil && len(c.Photos) > 0 {
		w.open("reviewer_images")
		for _, photo := range c.Photos {
			w.b.WriteString(`<reviewer_image><url>` + escape(w.o.Photo(photo)) + `</url></reviewer_image>`)
		}
		w.close("reviewer_images")
	}
	w.b.WriteString(`<ratings><overall min="1" max="5">` + strconv.Itoa(c.Rating) + `</overall></ratings>`)
	w.product(p)
	method := "unsolicited"
	if c.Invited {
		method = "post_fulfillment"
	}
	w.text("collection_method", method)
	w.close("review")
}

func (w *Writer) product(p *Product) {
	w.b.WriteString("<products><product><product_ids>")
	for _, id := range []struct{ list, name, value string }{
		{"gtins", "gtin", p.GTIN}, {"mpns", "mpn", p.MPN}, {"skus", "sku", p.SKU}, {"brands", "brand", p.Brand},
	} {
		if !blank(id.value) {
			w.open(id.list)
			w.text(id.name, id.value)
			w.close(id.list)
		}
	}
	w.close("product_ids")
	w.some("product_name", p.Name)
	w.text("product_url", p.URL)
	w.b.WriteString("</product></products>")
}

// reviewerID returns the same text for the same person, which does not tell who it is.
func (w *Writer) reviewerID(subject string) string {
	h := hmac.New(sha256.New, w.key)
	_, _ = io.WriteString(h, subject) // writing to a hash cannot fail
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:15]))
}

func (w *Writer) open(name string)  { w.b.WriteString("<" + name + ">") }
func (w *Writer) close(name string) { w.b.WriteString("</" + name + ">") }

// some appends an element, unless the text has only white space.
func (w *Writer) some(name, text string) {
	if !blank(text) {
		w.text(name, text)
	}
}

func (w *Writer) text(name, text string) {
	w.open(name)
	_ = xml.EscapeText(&w.b, []byte(clean(text))) // a buffer takes everything
	w.close(name)
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(clean(text)))
	return b.String()
}

// clean removes what XML 1.0 cannot have, escaped or not: most controls, halves of surrogates,
// U+FFFE, U+FFFF, and bytes that are no UTF-8.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
}
