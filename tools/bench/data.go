package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"product-comments/internal/files/transfer"
	"product-comments/store"
)

// productID is the product of all pages.
const productID = "42"

// ratings has each rating as often as people give it: people who like a product write more
// comments.
var ratings = strings.Repeat("5", 55) + strings.Repeat("4", 20) + strings.Repeat("1", 12) + strings.Repeat("3",
	8) + strings.Repeat("2", 5)

// languages has each language once, and English 17 times.
var languages = append(strings.Fields(strings.Repeat("en ", 17)), "de", "fr", "es")

var words = strings.Fields(`the a this that it was is very quite really not never always after before since
	room seat price size colour battery screen handle fabric service delivery box manual cable sound light weight
	good great fine poor cheap solid broken late early quiet loud warm cold bright dark small large heavy easy hard
	bought used opened returned cleaned carried washed charged lost found kept gave took needed wanted would buy again
	for with without from into over under between because although and but or so then now here there too enough`)

// newComments returns the same comments of a product on every call. Their ids begin with the
// prefix. Texts have 300 to 450 bytes.
func newComments(prefix, product string, n int) []store.Comment {
	r := rand.New(rand.NewPCG(3, 14))
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	comments := make([]store.Comment, n)
	for i := range comments {
		at = at.Add(time.Second + time.Duration(r.Int64N(int64(2*time.Hour))))
		comments[i] = store.Comment{
			ID:        fmt.Sprintf("%s%07d", prefix, i),
			ProductID: product,
			Rating:    int(ratings[r.IntN(len(ratings))] - '0'),
			Language:  languages[r.IntN(len(languages))],
			Title:     sentence(r, 20+r.IntN(20)),
			Text:      sentence(r, 300+r.IntN(151)),
			Author:    fmt.Sprintf("Reader %04d", r.IntN(5000)),
			CreatedAt: at,
		}
	}
	return comments
}

// sentence returns a sequence of words of about this many bytes.
func sentence(r *rand.Rand, bytes int) string {
	text := words[r.IntN(len(words))]
	for len(text) < bytes {
		text += " " + words[r.IntN(len(words))]
	}
	return text + "."
}

// collector collects the comments that an import reads from a file.
type collector struct{ comments []store.Comment }

func (*collector) Table() string { return "" }

func (c *collector) Import(_ context.Context, comments []store.Comment) ([]store.Outcome, error) {
	c.comments = append(c.comments, comments...)
	out := make([]store.Outcome, len(comments))
	for i := range out {
		out[i] = store.Written
	}
	return out, nil
}

// readFile reads a file of comments in the import format, plain or gzip.
func readFile(ctx context.Context, name string) ([]store.Comment, error) {
	var c collector
	summary, err := transfer.Import(ctx, &c, []string{name}, transfer.Options{Rejects: os.DevNull})
	if err == nil && summary.Refused > 0 {
		err = fmt.Errorf("%s: %d lines are no comments", name, summary.Refused)
	}
	return c.comments, err
}
