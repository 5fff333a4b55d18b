package tree

// State is the state of a product's page numbers. The item of the product's statistics has it.
type State struct {
	// Kept is false for a product without page numbers. It gets them with the next rebuild, or when
	// all its comments are deleted.
	Kept   bool
	Rows   []Row // all comments, in order, of a product without a tree
	Height int   // number of levels of the tree; 0 if there is no tree
	Tops   int   // number of nodes of the highest level
	Mark   int   // random number of this version of the tree; 0 if there is no tree
}

// fits reports whether a State may list rows.
func (s Sizes) fits(rows []Row) bool { return size(rows) <= s.Listed }
