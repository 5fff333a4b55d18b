package main

import (
	"bytes"
	"testing"

	"product-comments/internal/site/demo"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// The same comments give the same dictionary. It knows sentences of other products: their comments
// take less with it than without.
func TestTrain(t *testing.T) {
	learned, others := divide(withText(demo.Comments()), func(c store.Comment) bool { return inHalf(c.ProductID) })
	made := testkit.Value(train(1, nil, learned))(t)
	testkit.Check(t, bytes.Equal(made, testkit.Value(train(1, nil, learned))(t)), "another training gave another dictionary")
	plain, with := measure(others, nil), measure(others, made)
	testkit.Check(t, with.bytes < plain.bytes/2 && with.units <= plain.units, "%+v with a dictionary, %+v without", with, plain)
}
