package key

import "strconv"

const (
	attributeGroupPrefix = "ATTRIBUTEGROUP#"
	// AttributesSK is the sort key of the item with the revision of a product's or group's
	// attribute definitions.
	AttributesSK = "ATTRIBUTES"
	// AttributeFills is the partition key of the backfills after changes of definitions. The
	// sort key is the partition key of the product or group.
	AttributeFills = "ATTRIBUTEFILLS"
)

// AttributesRevisionSK returns the sort key of a revision of definitions.
func AttributesRevisionSK(revision int) string { return AttributesSK + "#" + strconv.Itoa(revision) }

// AttributeGroup returns the partition key of a group of products.
func AttributeGroup(name string) string { return attributeGroupPrefix + escape(name) }

// ParseAttributeGroup is the inverse of AttributeGroup; ok is false for any other key.
func ParseAttributeGroup(pk string) (name string, ok bool) { return idAfter(pk, attributeGroupPrefix) }
