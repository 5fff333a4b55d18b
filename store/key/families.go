package key

const familyPrefix = "FAMILY#"

// FamilySK is the sort key of the item that names the family of a product.
const FamilySK = "FAMILY"

// Family returns the partition key, and sort key, of the item of a family.
func Family(id string) string { return familyPrefix + escape(id) }

// ParseFamily is the inverse of Family; ok is false for any other key.
func ParseFamily(pk string) (id string, ok bool) { return idAfter(pk, familyPrefix) }
