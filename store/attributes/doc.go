// Package attributes gives the attributes of comments their meaning. A comment keeps
// what it was given, a flat JSON object, as it is. Definitions, of a product or of a
// group of products, say which members of it are attributes, of what type, how
// people read them and in what order they sort. A value that does not convert to the
// type of its definition, or has no definition, is kept and otherwise ignored: so a
// change of definitions loses nothing.
//
//	PK                        SK                 what
//	PRODUCT#<product id>      ATTRIBUTES         revision of the product's own definitions, its group
//	PRODUCT#<product id>      ATTRIBUTES#<n>     the definitions of a revision, for ever the same
//	ATTRIBUTEGROUP#<group>    ATTRIBUTES         as for a product, without a group
//	ATTRIBUTEGROUP#<group>    ATTRIBUTES#<n>
//	ATTRIBUTEGROUP#<group>    PRODUCT#<id>       says that the product is in the group
//	ATTRIBUTEFILLS            <PK of the first>  says that comments are to be brought along
//
// The effective definitions of a product are its own, then its group's whose keys it
// has not. A version names them for ever by both revisions and the group: what is
// derived from a comment is a function of the comment and of the version that it was
// written under. Revisions are small and rare, and stay.
package attributes
