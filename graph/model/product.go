package model

// Product is a product of the shop. Only its id is known here.
type Product struct {
	ProductID string
}

// IsNode marks a type of the interface Node.
func (Product) IsNode() {}

// ID returns the global id.
func (p Product) ID() string { return GlobalID(TypeProduct, p.ProductID) }
