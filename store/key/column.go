package key

import "strings"

// Columns is a table of its own besides the main one, which stands here like an
// index: the comments of a product by the values of an attribute. Its sort key is
// binary, the order-preserving encoding of a value with GSISK behind it.
//
//	PK                                 SK
//	COLUMN#<product id>/A/<attribute>  value, GSISK   comments with a value
//	COLUMN#<product id>/M/<attribute>  GSISK          comments without one
//	COLUMN#<product id>/B              GSISK          comments without any value of all
var Columns = Index{"columns", PK, SK}

// Apart reports whether the index is a table of its own, whose sort key is binary.
func (i Index) Apart() bool { return i == Columns }

const (
	columnPrefix = "COLUMN#"

	// ColumnsSK is the sort key of the item, in the main table, that says how far a
	// product's columns are.
	ColumnsSK = "COLUMNS"

	// Helpful is the column of how helpful a comment was found. No attribute has
	// such a key.
	Helpful = "~helpful"
)

// ColumnValues holds the comments of a product that have a value of an
// attribute, in the order of the values.
func ColumnValues(productID, attribute string) Partition {
	return Partition{Columns, columnPrefix + escape(productID) + "/A/" + escape(attribute)}
}

// ColumnMissing holds the comments of a product that lack an attribute but have
// another, in the order of their times.
func ColumnMissing(productID, attribute string) Partition {
	return Partition{Columns, columnPrefix + escape(productID) + "/M/" + escape(attribute)}
}

// ColumnBare holds the comments of a product that have no value at all, in the
// order of their times: they lack every attribute.
func ColumnBare(productID string) Partition {
	return Partition{Columns, columnPrefix + escape(productID) + "/B"}
}

// ParseColumn reads the partition key of an entry of a column: of which product
// and attribute it is, the latter empty for comments without any value, and
// whether it has a value. ok is false for the key of anything else.
func ParseColumn(pk string) (productID, attribute string, value, ok bool) {
	rest, ok := strings.CutPrefix(pk, columnPrefix)
	if !ok {
		return "", "", false, false
	}
	parts := strings.Split(rest, "/")
	if productID, ok = unescape(parts[0]); !ok {
		return "", "", false, false
	}
	if len(parts) == 2 && parts[1] == "B" {
		return productID, "", false, true
	}
	if len(parts) != 3 || parts[1] != "A" && parts[1] != "M" {
		return "", "", false, false
	}
	attribute, ok = unescape(parts[2])
	return productID, attribute, parts[1] == "A", ok && attribute != ""
}

// Column returns the attribute whose values a partition holds; empty if it holds none.
func (in Partition) Column() string {
	if !in.Index.Apart() {
		return ""
	}
	_, attribute, value, _ := ParseColumn(in.Value)
	if !value {
		return ""
	}
	return attribute
}
