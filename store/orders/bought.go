package orders

import (
	"product-comments/store/key"
	"product-comments/store/table"
)

// attrCount is a mark's attribute, N: the number of orders with the purchase. If all of them
// are returned, the mark stays, with 0.
const attrCount = "n"

// MarkKey returns the primary key of the mark of a user's purchase of a product.
func MarkKey(username, productID string) table.Item {
	return table.KeyOf(key.User(username), key.Bought(productID))
}

// IsBought reports whether a mark counts a purchase; a nil mark does not. It returns an
// Internal error for a damaged mark.
func IsBought(mark table.Item) (bool, error) {
	n := 0
	err := table.Read(mark, table.Fields{attrCount: &n})
	return n > 0, err
}

// IfBought returns the condition of a transaction that a user bought a product, or that they
// did not.
func IfBought(username, productID string, bought bool) table.Write {
	w := table.Write{
		Key: MarkKey(username, productID), If: "#n > :none",
		Names: map[string]string{"#n": attrCount}, Values: table.Item{":none": table.N(0)},
	}
	if !bought {
		w.If = "attribute_not_exists(#n) OR #n <= :none"
	}
	return w
}

// count returns the write that adds to a mark's number of orders. It needs no condition: the
// order's condition in the same transaction makes it happen once.
func count(username, productID string, by int) table.Write {
	return table.Write{
		Key: MarkKey(username, productID), Update: "ADD #n :by",
		Names: map[string]string{"#n": attrCount}, Values: table.Item{":by": table.N(by)},
	}
}
