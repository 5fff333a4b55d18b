package demo

import (
	"bytes"
	"context"
	_ "embed" // the files
	"strings"

	"github.com/klauspost/compress/zstd"

	"product-comments/internal/files/ndjson"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/orders"
)

// The data in the import format. To change the comments:
//
//	zstd -d comments.ndjson.zst
//	zstd --ultra -22 comments.ndjson
var (
	//go:embed definitions.ndjson
	defined []byte
	//go:embed comments.ndjson.zst
	comments []byte
	//go:embed people.ndjson
	people []byte
	//go:embed orders.ndjson
	ordered []byte
)

// Subjects of the demo.
const (
	Visitor   = "demo" // the person who tries the demo: owner of some orders and comments
	Moderator = "mia"  // the moderator of all decisions
)

// products are the products with comments, the bestseller first.
var products = strings.Fields("42 7 13 21 84 1 " +
	"100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127")

// Comments returns the demo comments, by product, newest first. All are valid.
func Comments() []store.Comment {
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // no options, so no error
	}
	defer d.Close()
	text, err := d.DecodeAll(comments, nil)
	if err != nil {
		panic(err) // embedded data is valid
	}
	return lines(text, ndjson.Parse)
}

// OwnedComments returns comments with an owner, whose name is in the comment's id: the comments
// that examples refer to, and one of each person with a delivered order. Whether an owner bought
// the product depends on their orders. The owned comments of the bestseller are unpublished, so
// that its lists and counts show exactly the Comments. All are valid.
func OwnedComments() []store.Comment {
	all := lines(people, ndjson.Parse)
	for i := range all {
		all[i].Owner = strings.Split(all[i].ID, "-")[1]
	}
	return all
}

// Orders returns orders of the visitor and of the other people, in all statuses. All are valid.
func Orders() []orders.Order { return lines(ordered, ndjson.ParseOrder) }

func lines[T any](text []byte, parse func([]byte) (T, error)) (all []T) {
	for line := range bytes.Lines(text) {
		v, err := parse(line)
		if err != nil {
			panic(err) // embedded data is valid
		}
		all = append(all, v)
	}
	return all
}

// define defines the attributes, before there are comments.
func define(ctx context.Context, st *store.Store) error {
	for _, d := range lines(defined, ndjson.ParseDefinitions) {
		if err := d.Define(ctx, st.Attributes(), st.Families()); err != nil {
			return err
		}
	}
	return nil
}

// Fill completes the indexes of attributes without the usual wait for processes with older
// definitions, because a new table has none. A projector must be running. It returns an
// Unavailable error if the store does not answer, or the context's error.
func Fill(ctx context.Context, st *store.Store) error {
	for _, product := range products {
		if err := st.AttributeIndex().Backfill().Finish(ctx, product, true, nil); err != nil {
			return err
		}
	}
	return nil
}

// rejected maps comments that a moderator rejected to the reasons.
var rejected = map[string]item.Why{
	"own-demo-3": {Code: "OFF_TOPIC", Reason: "It is about the delivery, not about the product."},
	"own-hugo-1": {Code: "NOT_GENUINE", Reason: "Please write about what you have used."},
}

// reported are the reports of published comments.
var reported = []struct{ by, comment, why string }{
	{"ben", "own-oscar-1", "It is an advertisement."},
	{"carla", "own-oscar-1", "He wants to sell his own."},
	{"dan", "own-alice-0", "She has not got it yet."},
}

// loadPeople writes the orders and owned comments into the table, and then the moderators'
// decisions and reports.
func loadPeople(ctx context.Context, st *store.Store) error {
	done, err := st.ImportOrders(ctx, Orders())
	if err != nil {
		return err
	}
	for _, did := range done {
		if did.Refused != nil {
			return did.Refused
		}
	}
	if _, err := st.Import(ctx, OwnedComments()); err != nil {
		return err
	}
	for id, why := range rejected {
		_, err := st.Decide(ctx, store.Ruling{ID: id, Verb: moderation.Reject, By: Moderator, Reason: why.Reason, Code: why.Code})
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	for _, r := range reported {
		_, err := st.Report(ctx, r.comment, r.by, r.why)
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	return nil
}

// unlessChanged drops the error of a comment that has changed, because a visitor deleted or
// withdrew it while the demo was loading.
func unlessChanged(err error) error {
	if code := errs.CodeOf(err); code == errs.NotFound || code == errs.Conflict {
		return nil
	}
	return err
}
