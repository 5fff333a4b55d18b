package key

import "strings"

// Products is a list of products: their ids, each followed by a zero byte, which no id contains. So
// equal lists are equal values.
type Products string

// ProductsOf returns the list of the given ids.
func ProductsOf(ids ...string) Products {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(id)
		b.WriteByte(0)
	}
	return Products(b.String())
}

// List returns the ids.
func (p Products) List() []string {
	if p == "" {
		return nil
	}
	return strings.Split(string(p[:len(p)-1]), "\x00")
}
