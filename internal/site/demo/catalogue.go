package demo

import "product-comments/internal/site/reviews"

// names are the products' names, in the order of products.
var names = [...]string{
	"Fernweh 24 daypack", "Ridgeline 38 hiking pack", "Metro 18 laptop backpack", "Harbour roll-top", "Little Scout 10",
	"Prototype One", "Alder 20", "Birch 22", "Cedar 24", "Dune 26", "Ember 28", "Fjord 30", "Glacier 32", "Heath 18",
	"Island 20", "Juniper 22", "Karst 24", "Lagoon 26", "Moor 28", "Nordic 30", "Oak 32", "Pine 18", "Quarry 20",
	"Reed 22", "Summit 24", "Tundra 26", "Upland 28", "Valley 30", "Willow 32", "Xylem 18", "Yew 20", "Zephyr 22",
	"Aspen 24", "Boulder 26",
}

// Catalogue returns the products of the shop, the bestseller first.
func Catalogue() []reviews.Entry {
	all := make([]reviews.Entry, len(products))
	for i, id := range products {
		all[i] = reviews.Entry{ProductID: id, Name: names[i], URL: "/product/" + id, Image: "/shop/" + id + ".svg", SKU: "BP-" + id, Brand: "Fernweh"}
	}
	for i := range all { // the daypack, and the one that came before it
		if all[i].ProductID == products[0] || all[i].Name == "Prototype One" {
			all[i].Family = "fernweh-24"
		}
	}
	return all
}
