package attributeorder_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// scripted loses one transaction, which arrives later, and ends after others.
type scripted struct {
	store.API
	lose, ends int // which transaction is lost, and how many are made; -1 is none, or all
	made       int
	late       *dynamodb.TransactWriteItemsInput
	after      func(string)
}

func (s *scripted) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	n := s.made
	s.made++
	if n == s.lose {
		s.late = in
		return nil, errLost
	}
	if s.lose >= 0 && n > s.lose || s.ends >= 0 && n >= s.ends {
		return nil, errLost
	}
	out, err := s.API.TransactWriteItems(ctx, in, o...)
	s.after(fmt.Sprintf("transaction %d", n))
	return out, err
}

// A comment that gets very many values at once, or loses them, is in each column once
// all the time, whichever of its transactions arrives after others that a second
// projector made in between, and wherever that one ends.
func TestATurnCanBeMadeAgain(t *testing.T) {
	const n, transactions = 150, 4
	random := rand.New(rand.NewPCG(1, 2)) // what the values are does not matter
	w := newWorld(t)
	w.define(many(n)...)
	seen := &seen{world: w, defined: n, must: map[string]bool{}}
	values := 0
	write := func() {
		c := store.Comment{ID: "a", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0), Attributes: numbers(random, n, values)}
		testkit.Value(w.s.Import(t.Context(), []store.Comment{c}))(w)
		values = n - values
	}
	write()
	w.project()
	seen.must["a"] = true
	for lose := range transactions {
		for ends := range transactions {
			for range 2 { // it gets values, and loses them
				write()
				first := &scripted{API: w.c, lose: lose, ends: -1, after: seen.check}
				_, _ = storetest.ProjectOnce(t.Context(), w.c, w.process(first).Projector())
				second := &scripted{API: w.c, lose: -1, ends: ends, after: seen.check}
				_, _ = storetest.ProjectOnce(t.Context(), w.c, w.process(second).Projector())
				testkit.Need(t, first.late != nil, "there was no transaction %d", lose)
				_, _ = w.c.TransactWriteItems(t.Context(), first.late)
				seen.check(fmt.Sprintf("transaction %d came late, after %d others", lose, ends))
				w.project()
				seen.check("all is projected")
			}
		}
	}
	w.right()
}
