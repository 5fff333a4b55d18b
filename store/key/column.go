package key

import "strings"

// Columns is the attribute index: the comments of a product by the values of an attribute. It is a
// separate table, treated like an index. Its binary sort key is the order-preserving encoding of a
// value followed by GSISK.
//
//	PK                                 SK
//	COLUMN#<product id>/A/<attribute>  value, GSISK   comments with a value
//	COLUMN#<product id>/M/<attribute>  GSISK          comments without one
//	COLUMN#<product id>/B              GSISK          comments without any value of all
var Columns = Index{"columns", PK, SK}

// Apart reports whether the index is the separate table Columns, with a binary sort key.
func (i Index) Apart() bool { return i == Columns }

const (
	columnPrefix = "COLUMN#"

	// ColumnsSK is the sort key of the item in the main table with the state of a product's
	// attribute index.
	ColumnsSK = "COLUMNS"

	// Helpful is the key of helpfulness in the attribute index. No attribute can have this key.
	Helpful = "~helpful"
)

// ColumnValues returns the partition of the comments of a product with a value of an attribute,
// in the order of values.
func ColumnValues(productID, attribute string) Partition {
	return Partition{Columns, columnPrefix + escape(productID) + "/A/" + escape(attribute)}
}

// ColumnMissing returns the partition of the comments of a product without a value of an
// attribute but with values of others, in the order of time.
func ColumnMissing(productID, attribute string) Partition {
	return Partition{Columns, columnPrefix + escape(productID) + "/M/" + escape(attribute)}
}

// ColumnBare returns the partition of the comments of a product without any attribute value, in
// the order of time.
func ColumnBare(productID string) Partition {
	return Partition{Columns, columnPrefix + escape(productID) + "/B"}
}

// ParseColumn parses the partition key of an entry of the attribute index: its product, its attribute (empty
// for comments without any value), and whether the entry has a value. ok is false for any other
// key.
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

// Column returns the attribute of a partition of ColumnValues, "" for other partitions.
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
