package main

import (
	"slices"
	"time"

	"product-comments/store"
)

// comment is what both servers show of one.
type comment struct {
	CommentID string
	Rating    int
	Language  string
	Title     string
	Text      string
	Author    string
	CreatedAt time.Time
}

// shown returns what lists show of comments: an index does not carry long texts.
func shown(comments []store.Comment) []comment {
	out := make([]comment, len(comments))
	for i, c := range comments {
		out[i] = comment{c.ID, c.Rating, c.Language, c.Title, c.Text, c.Author, c.CreatedAt}
		if len(c.Text) > store.InlineText {
			out[i].Text = ""
		}
	}
	return out
}

// same tells whether two lists show the same.
func same(a, b []comment) bool {
	return slices.EqualFunc(a, b, func(a, b comment) bool {
		at := a.CreatedAt.Equal(b.CreatedAt)
		a.CreatedAt = b.CreatedAt
		return at && a == b
	})
}
