package statistics_test

import (
	"fmt"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/storetest"
)

// An expression may have 300 operators. So many kinds of one product are hinted
// at once by an import, and all are too old at once.
func TestHintsOfManyKinds(t *testing.T) {
	var c clock
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{Now: c.now})
	if err := s.EnsureTable(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	var comments []store.Comment
	for i, language := range languages(t, 64) {
		for rating := 1; rating <= 5; rating++ {
			id := fmt.Sprint(5*i + rating)
			comments = append(comments, store.Comment{ID: id, ProductID: "42", Rating: rating, Language: language, CreatedAt: time.Unix(int64(i), 0)})
		}
	}
	if _, err := s.Import(t.Context(), comments); err != nil {
		t.Fatal(err)
	}
	c.project(t, s)
	c.advance(41 * time.Hour)
	if _, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 1, Language: comments[0].Language}); err != nil {
		t.Fatal(err)
	}
	c.project(t, s)
}
