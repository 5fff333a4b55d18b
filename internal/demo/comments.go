package demo

import (
	"encoding/json"
	"fmt"
	"iter"

	"product-comments/store"
)

// bestseller is the product that has most of the comments.
const bestseller = "42"

// products are the products and how many comments they have.
var products = []struct {
	id       string
	comments int
}{
	{bestseller, 6000}, {"7", 900}, {"13", 620}, {"21", 450}, {"84", 310}, {"100", 180}, {"101", 120},
	{"102", 75}, {"103", 41}, {"104", 33}, {"105", 26}, {"106", 24}, {"107", 21}, {"108", 20}, {"109", 18},
	{"110", 17}, {"111", 15}, {"112", 15}, {"113", 13}, {"114", 12}, {"115", 12}, {"116", 11}, {"117", 10},
	{"118", 9}, {"119", 8}, {"120", 8}, {"121", 7}, {"122", 6}, {"123", 5}, {"124", 5}, {"125", 4},
	{"126", 3}, {"127", 2}, {"1", 1},
}

// badShare is the share, in per cent, of comments of a bad batch.
const badShare = 14

// Ratings 1 to 5, in per mille: of a bad batch, and otherwise.
var (
	badRatings  = []int{620, 150, 80, 50, 100}
	goodRatings = []int{3, 41, 100, 230, 626}
)

// languageShare is how many of 100 comments are in a language.
var languageShare = []struct {
	language string
	percent  int
}{{"en", 46}, {"de", 19}, {"fr", 11}, {"es", 10}, {"pt-BR", 8}, {"ja", 6}}

// Comments returns the demo comments, product after product, oldest first. All
// are valid.
func Comments() iter.Seq[store.Comment] {
	return func(yield func(store.Comment) bool) {
		for i, product := range products {
			r, more := newRandom(uint64(i)), newRandom(uint64(len(products)+i))
			for n, at := range times(r, product.id, product.comments) {
				c := comment(r, inBadBatch(at))
				c.ProductID = product.id
				c.ID = fmt.Sprintf("demo-%s-%06d", product.id, n+1)
				c.CreatedAt = at
				c.Attributes = opinions(more, &c)
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Count is the number of Comments.
func Count() int {
	n := 0
	for _, product := range products {
		n += product.comments
	}
	return n
}

// comment returns one without product, id and time.
func comment(r random, badBatch bool) store.Comment {
	ratings := goodRatings
	if badBatch {
		ratings = badRatings
	}
	shares := make([]int, len(languageShare))
	for i, l := range languageShare {
		shares[i] = l.percent
	}
	p := languages()[languageShare[r.weighted(shares...)].language]
	c := store.Comment{Rating: 1 + r.weighted(ratings...), Language: p.language}
	c.Title = p.title(r, c.Rating)
	c.Text = p.text(r, c.Rating)
	if r.percent(75) {
		c.Author = fmt.Sprintf("%s %c.", pick(r, p.authors), 'A'+r.below(26))
		if p.language == "ja" {
			c.Author = pick(r, p.authors)
		}
	}
	if r.percent(70) {
		verified := r.percent(92)
		c.VerifiedPurchase = &verified
	}
	if r.percent(30) {
		helpful := r.below(r.between(1, 60))
		c.Helpful = &helpful
	}
	if r.percent(40) {
		c.Attributes = json.RawMessage(fmt.Sprintf(`{"colour":%q,"litres":%d}`,
			pick(r, []string{"green", "black", "grey", "blue", "mustard"}), pick(r, []int{18, 24, 30})))
	}
	return c
}
