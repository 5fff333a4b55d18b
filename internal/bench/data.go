package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"product-comments/store"
)

// productID is the product that all pages are of.
const productID = "42"

// shares are how many of a hundred comments have a rating: people who like a
// thing write more.
var shares = [...]struct{ rating, percent int }{{5, 55}, {4, 20}, {1, 12}, {3, 8}, {2, 5}}

var languages = [...]string{"en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "en", "de", "fr", "es"}

var words = strings.Fields(`the a this that it was is very quite really not never always after before since
	room seat price size colour battery screen handle fabric service delivery box manual cable sound light weight
	good great fine poor cheap solid broken late early quiet loud warm cold bright dark small large heavy easy hard
	bought used opened returned cleaned carried washed charged lost found kept gave took needed wanted would buy again
	for with without from into over under between because although and but or so then now here there too enough`)

// newComments returns comments of a product, always the same ones. Their ids
// begin with the prefix. Texts have 300 to 450 bytes.
func newComments(prefix, product string, n int) []store.Comment {
	r := rand.New(rand.NewPCG(3, 14))
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	comments := make([]store.Comment, n)
	for i := range comments {
		at = at.Add(time.Second + time.Duration(r.Int64N(int64(2*time.Hour))))
		comments[i] = store.Comment{
			ID:        fmt.Sprintf("%s%07d", prefix, i),
			ProductID: product,
			Rating:    rating(r),
			Language:  languages[r.IntN(len(languages))],
			Title:     sentence(r, 20+r.IntN(20)),
			Text:      sentence(r, 300+r.IntN(151)),
			Author:    fmt.Sprintf("Reader %04d", r.IntN(5000)),
			CreatedAt: at,
		}
	}
	return comments
}

func rating(r *rand.Rand) int {
	n := r.IntN(100)
	for _, s := range shares {
		if n -= s.percent; n < 0 {
			return s.rating
		}
	}
	return 3
}

// sentence returns words of about this many bytes together.
func sentence(r *rand.Rand, bytes int) string {
	var b strings.Builder
	for b.Len() < bytes {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
	}
	b.WriteByte('.')
	return b.String()
}
