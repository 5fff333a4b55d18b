package demo

import (
	"context"

	"product-comments/store"
	"product-comments/store/attributes"
)

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
		if err := st.Columns().Fill(ctx, product); err != nil {
			return err
		}
	}
	return nil
}
