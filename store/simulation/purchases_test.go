package simulation

import (
	"product-comments/store/key"
	"product-comments/store/simulation/double"
)

// bought are purchases as orders have them, and which comments follow them. The model's
// lock is held wherever they are used.
type bought struct {
	by      map[[2]string]bool // by person and product
	follows map[string]bool    // by comment id
}

func newBought() bought { return bought{map[[2]string]bool{}, map[string]bool{}} }

// marked takes the change of a mark of a purchase.
func (b *bought) marked(c double.Change) {
	it := c.After
	if len(it) == 0 {
		it = c.Before
	}
	if username, product, ok := key.BoughtBy(text(it, key.PK), text(it, key.SK)); ok {
		b.by[[2]string{username, product}] = number(c.After, "n", 0) > 0
	}
}

// of spells whether somebody bought a product by now.
func (b *bought) of(username, product string) string {
	return boughtOf(ptr(b.by[[2]string{username, product}]))
}

// decided tells what a comment must say that somebody writes now; nothing if it is
// nobody's.
func (b *bought) decided(owner, product string) string {
	if owner == "" {
		return ""
	}
	return b.of(owner, product)
}

// settles is the explain of what projectors do: a comment that follows its owner's
// purchases comes to say what they are by then.
func (m *model) settles(before, after *state) string {
	if before == nil || after == nil || !m.bought.follows[before.id] {
		return same(before, after)
	}
	want := *before
	if want.bought = m.bought.of(before.owner, before.product); *after != want {
		return "it changed what a comment says, other than of its owner's purchase, which is " + want.bought
	}
	m.h.marks.add("a comment followed a purchase")
	return ""
}

// imported returns what a comment says of a purchase after an import over another one.
func (b *bought) imported(before *state, want state) string {
	if b.follows[before.id] && before.product == want.product && (want.bought == "" || want.bought == before.bought) {
		return before.bought
	}
	return want.bought
}
