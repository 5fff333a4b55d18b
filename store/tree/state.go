package tree

// State is what the statistics of a product note of its page numbers.
type State struct {
	// Kept is false for a product whose comments were counted before there were page
	// numbers: it gets them with the next rebuild, or when it has had no comments.
	Kept   bool
	Rows   []Row // all comments, in order, of a product without a tree
	Height int   // number of levels of the tree; 0 is that there is none
	Tops   int   // number of nodes of the highest level
	Mark   int   // of the tree as it is, which no other has; 0 for none
}

// fits reports whether a State may list rows.
func (s Sizes) fits(rows []Row) bool { return size(rows) <= s.Listed }
