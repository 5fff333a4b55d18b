package attributes

import (
	"product-comments/store/key"
	"product-comments/store/table"
)

// fillWrite says that the comments of a product, or of a group's products, are to be
// written again under the definitions that they have now. It takes the place of what
// was noted of an earlier change, which is one of another revision for whoever carries
// that on. Writers may use the former definitions until the settings have settled.
func (s *Store) fillWrite(of Scope) table.Write {
	it := table.KeyOf(key.AttributeFills, of.pk())
	it[attrRevision] = table.N(s.t.Random().NextRevision(0))
	return table.Write{Put: it}
}
