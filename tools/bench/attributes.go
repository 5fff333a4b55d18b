package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"product-comments/store"
	"product-comments/store/attributes"
)

const (
	gridAttributes = 400    // as many as a product may have
	gridValues     = 40     // of them that each comment has a value of
	gridOrder      = "a000" // the attribute of the order; every comment has a value of it
)

// gridTypes are the types of attributes, in turn. The first is that of gridOrder.
var gridTypes = []attributes.Type{attributes.Number, attributes.Choice, attributes.Date, attributes.Text, attributes.Boolean}

// gridDefinitions returns the definitions of a product's attributes. Lists carry none
// of their values.
func gridDefinitions() []attributes.Definition {
	list := make([]attributes.Definition, gridAttributes)
	for i := range list {
		list[i] = attributes.Definition{Key: gridKey(i), Type: gridTypes[i%len(gridTypes)], Position: i}
		if list[i].Type == attributes.Choice {
			for place := range 5 {
				list[i].Options = append(list[i].Options, attributes.Option{Value: gridChoice(place)})
			}
		}
	}
	return list
}

func gridKey(i int) string { return fmt.Sprintf("a%03d", i) }

func gridChoice(place int) string { return "choice " + strconv.Itoa(place) }

// newGrid returns comments of a product with values of attributes, always the
// same ones: of gridOrder, a number from 0 to 100 in steps of a tenth, and of others.
func newGrid(product string, n int) []store.Comment {
	r := rand.New(rand.NewPCG(4, 400))
	comments := newComments("g", product, n)
	for i := range comments {
		values := map[string]any{gridOrder: float64(r.IntN(1001)) / 10}
		for _, other := range r.Perm(gridAttributes - 1)[:gridValues-1] {
			values[gridKey(other+1)] = gridValue(r, gridTypes[(other+1)%len(gridTypes)])
		}
		raw, err := json.Marshal(values)
		if err != nil {
			panic(err) // plain values always have JSON
		}
		comments[i].Attributes = raw
	}
	return comments
}

// gridValue draws a value of a type.
func gridValue(r *rand.Rand, t attributes.Type) any {
	switch t {
	case attributes.Number:
		return r.IntN(1000)
	case attributes.Choice:
		return gridChoice(r.IntN(5))
	case attributes.Date:
		return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(700)).Format(time.DateOnly)
	case attributes.Boolean:
		return r.IntN(2) == 0
	}
	return sentence(r, 10+r.IntN(20))
}
