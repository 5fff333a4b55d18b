package model

import (
	"product-comments/graph/globalid"
	"product-comments/store"
)

// Family is the schema's type Family.
type Family struct{ Of *store.Family }

// IsNode marks a type of the interface Node.
func (Family) IsNode() {}

// ID returns the global id.
func (f Family) ID() string { return globalid.Of(globalid.Family, f.Of.ID) }

// Shown returns the text of the own id.
func (f Family) Shown() string { return globalid.Text(globalid.Family, f.Of.ID) }

// Label returns nil for none.
func (f Family) Label() *string { return orNil(&f.Of.Label) }

// Products returns the products, in the shop's order.
func (f Family) Products() []Product {
	return MapList(f.Of.Products, func(id *string) Product { return Product{ProductID: *id} })
}
