package apitest

import (
	"fmt"
	"time"

	"product-comments/store"
)

// Comments makes n comments of product 42, a minute apart, c000 being the
// oldest, rated 1 2 3 4 5 1 2 …
func Comments(n int) []store.Comment {
	list := make([]store.Comment, n)
	for i := range list {
		list[i] = store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", Text: fmt.Sprintf("text %d", i),
			CreatedAt: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC),
		}
	}
	return list
}

// Rated makes comments of a product in a language, n[0] of them rated 1 and so on.
func Rated(product, language string, n [5]int) (list []store.Comment) {
	for i := range n {
		for k := range n[i] {
			list = append(list, store.Comment{
				ID: fmt.Sprintf("%s-%s-%d-%d", product, language, i+1, k), ProductID: product, Language: language, Rating: i + 1,
				CreatedAt: time.Date(2026, 1, 1, i, k, 0, 0, time.UTC),
			})
		}
	}
	return list
}
