package demo

import (
	"bytes"
	"context"
	_ "embed" // the files
	"strings"

	"github.com/klauspost/compress/zstd"

	"product-comments/internal/ndjson"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/moderation"
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

// group is the group that all products are in.
const group = "backpacks"

// shared are the definitions of the group, own those that the bestseller has beside.
var (
	shared = []attributes.Definition{
		{Key: "comfort", Type: attributes.Number, Shown: true, Position: 0, Labels: labels("Comfort", "Tragekomfort")},
		{Key: "colour", Type: attributes.Choice, Shown: true, Position: 1, Labels: labels("Colour", "Farbe"), Options: []attributes.Option{
			{Value: "black", Labels: labels("Black", "Schwarz")}, {Value: "grey", Labels: labels("Grey", "Grau")},
			{Value: "blue", Labels: labels("Blue", "Blau")}, {Value: "green", Labels: labels("Green", "Grün")},
			{Value: "mustard", Labels: labels("Mustard", "Senf")},
		}},
		{Key: "litres", Type: attributes.Number, Position: 2, Labels: labels("Litres", "Liter")},
		{Key: "bought", Type: attributes.Date, Position: 3, Labels: labels("Bought on", "Gekauft am")},
	}
	own = []attributes.Definition{
		{Key: "use", Type: attributes.Choice, Position: 4, Labels: labels("Used for", "Benutzt für"), Options: []attributes.Option{
			{Value: "work", Labels: labels("Work", "Arbeit")}, {Value: "school", Labels: labels("School", "Schule")},
			{Value: "travel", Labels: labels("Travel", "Reisen")}, {Value: "hiking", Labels: labels("Hiking", "Wandern")},
		}},
	}
)

func labels(en, de string) []attributes.Label {
	return []attributes.Label{{Language: "en", Text: en}, {Language: "de", Text: de}}
}

// define makes the definitions of attributes, before there are comments.
func define(ctx context.Context, st *store.Store) error {
	for _, change := range []attributes.Change{
		{Scope: attributes.Scope{Group: group}, Definitions: shared},
		{Scope: attributes.Scope{Product: bestseller}, Definitions: own},
	} {
		if _, err := st.Attributes().Define(ctx, change); err != nil {
			return err
		}
	}
	for _, product := range products {
		if err := st.Attributes().Assign(ctx, attributes.Assignment{Product: product, Group: group}); err != nil {
			return err
		}
	}
	return nil
}

// Fill lets comments be read in the order of their attributes, without the wait for
// processes that do not know the definitions yet: there are none. A projector must be
// running. It returns an Unavailable error if the store does not answer, or the
// context's error.
func Fill(ctx context.Context, st *store.Store) error {
	for _, product := range products {
		if err := st.Columns().Backfill().Finish(ctx, product, true, nil); err != nil {
			return err
		}
	}
	return nil
}

// rejected are those that a moderator rejected, and why.
var rejected = map[string]string{
	"own-demo-3": "It is about the delivery, not about the product.",
	"own-hugo-1": "Please write about what you have used.",
}

// reported are who reported which comment that everybody sees, and why.
var reported = []struct{ by, comment, why string }{
	{"ben", "own-oscar-1", "It is an advertisement."},
	{"carla", "own-oscar-1", "He wants to sell his own."},
	{"dan", "own-alice-0", "She has not got it yet."},
}

// loadPeople puts what people ordered and wrote into the table, and what became of that.
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
	if _, err := st.Import(ctx, ByPeople()); err != nil {
		return err
	}
	for id, why := range rejected {
		_, err := st.Decide(ctx, store.Ruling{ID: id, Verb: moderation.Reject, By: Moderator, Reason: why})
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

// unlessChanged drops an error that says that a comment has changed: a visitor who
// looked at a part of the demo deleted or withdrew it.
func unlessChanged(err error) error {
	if code := errs.CodeOf(err); code == errs.NotFound || code == errs.Conflict {
		return nil
	}
	return err
}
