package orders

import (
	"product-comments/store/key"
	"product-comments/store/table"
)

// attrCount is a mark's attribute, N: how many orders make it a purchase. A mark of
// which all orders were returned stays, with 0.
const attrCount = "n"

// MarkKey returns the primary key of the mark that says whether a user bought a product.
func MarkKey(username, productID string) table.Item {
	return table.KeyOf(key.User(username), key.Bought(productID))
}

// IsBought reports whether a mark, nil if there is none, says that its product was bought.
// It returns an Internal error for a mark that is damaged.
func IsBought(mark table.Item) (bool, error) {
	n := 0
	err := table.Numbers(mark, map[string]*int{attrCount: &n})
	return n > 0, err
}

// IfBought returns the part of a transaction that lets it happen only if a user
// bought a product, or did not.
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

// count returns the change of a mark by one order more, or less. It needs no condition:
// the order's own, in the same transaction, lets it happen once.
func count(username, productID string, by int) table.Write {
	return table.Write{
		Key: MarkKey(username, productID), Update: "ADD #n :by",
		Names: map[string]string{"#n": attrCount}, Values: table.Item{":by": table.N(by)},
	}
}
