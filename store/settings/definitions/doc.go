// Package definitions stores the definitions of attributes that a shop makes, for a product or for a
// group of products. All methods that call the store return an Unavailable error if the store does
// not answer.
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
package definitions
