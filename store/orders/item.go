package orders

import "product-comments/store/item"

// Projected are the attributes that the indexes of orders carry beside keys. Those that
// orders share with comments carry it, too, and nothing else of an order.
var Projected = []string{item.AttrShown}
