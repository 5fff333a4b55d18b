// Package attributes defines the attributes of comments. A comment stores a flat JSON object,
// exactly as the client sent it. Definitions, of a product or of a group of products, declare some
// members of the object as attributes, with type, labels and sort order. A value that cannot be
// converted to the type of its definition, or has no definition, is kept and otherwise ignored: so
// a change of definitions loses nothing. All methods that call the store return an Unavailable
// error if the store does not answer.
//
//	PK                        SK                 content
//	PRODUCT#<product id>      ATTRIBUTES         revision of the product's own definitions, its group
//	PRODUCT#<product id>      ATTRIBUTES#<n>     the definitions of a revision; immutable
//	ATTRIBUTEGROUP#<group>    ATTRIBUTES         as for a product, without a group
//	ATTRIBUTEGROUP#<group>    ATTRIBUTES#<n>
//	ATTRIBUTEGROUP#<group>    PRODUCT#<id>       the product is in the group
//	ATTRIBUTEFILLS            <PK of the first>  a backfill of its comments is due
//
// The effective definitions of a product are its own, then the group's definitions of other
// keys. A version identifies them permanently by both revisions and the group. So derived data
// of a comment is a function of the comment and of the version under which it was written.
// Revisions are small and rare, and are never deleted.
package attributes
