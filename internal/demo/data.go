package demo

import (
	"bytes"
	_ "embed" // the files
	"strings"

	"github.com/klauspost/compress/zstd"

	"product-comments/internal/ndjson"
	"product-comments/store"
	"product-comments/store/orders"
)

// Lines as import reads them. To change the comments:
//
//	zstd -d comments.ndjson.zst
//	zstd --ultra -22 comments.ndjson
var (
	//go:embed comments.ndjson.zst
	comments []byte
	//go:embed people.ndjson
	people []byte
	//go:embed orders.ndjson
	ordered []byte
)

// The subjects of people of the demo.
const (
	Visitor   = "demo" // who looks at it: some orders and comments are theirs
	Moderator = "mia"  // who decided what was decided about comments
)

// bestseller is the product that has most of the comments.
const bestseller = "42"

// products are those that have comments.
var products = strings.Fields("42 7 13 21 84 1 " +
	"100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127")

// Comments returns the demo comments, product after product, newest first. All are valid.
func Comments() []store.Comment {
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // it has no options
	}
	defer d.Close()
	text, err := d.DecodeAll(comments, nil)
	if err != nil {
		panic(err) // it is built into the program
	}
	return lines(text, ndjson.Parse)
}

// ByPeople returns comments that have an owner, who is in their ids: those that examples
// are about, and one of everybody to whom something was delivered. Whether they bought
// the product their orders say. Those of the bestseller are not published, so that its
// lists and counts are those of Comments. All are valid.
func ByPeople() []store.Comment {
	all := lines(people, ndjson.Parse)
	for i := range all {
		all[i].Owner = strings.Split(all[i].ID, "-")[1]
	}
	return all
}

// Orders returns what the visitor and the other people ordered, in all statuses. All
// are valid.
func Orders() []orders.Order { return lines(ordered, ndjson.ParseOrder) }

func lines[T any](text []byte, parse func([]byte) (T, error)) (all []T) {
	for line := range bytes.Lines(text) {
		v, err := parse(line)
		if err != nil {
			panic(err) // it is built into the program
		}
		all = append(all, v)
	}
	return all
}
