package dynamo

import (
	"strings"

	"product-comments/store/key/sortable"
)

const (
	maxItem   = 400 << 10
	readUnit  = 4 << 10
	writeUnit = 1 << 10
	// MaxPage is the number of bytes, read from items or records, after which a page of a query,
	// scan or shard ends.
	MaxPage = 1 << 20
	// MaxBatchGot is the maximum size in bytes of the items that a BatchGetItem returns.
	MaxBatchGot = 16 << 20
)

// Size returns the size of an item in bytes as DynamoDB counts it: names and values.
func Size(it Item) int {
	n := 0
	for name, v := range it {
		n += len(name) + valueSize(v)
	}
	return n
}

func valueSize(v Value) int {
	switch v := v.(type) {
	case *text:
		return len(v.Value)
	case *number:
		return numberSize(v.Value)
	case *binary:
		return len(v.Value)
	case *document:
		return 3 + len(v.Value) + Size(v.Value)
	}
	return 1 // BOOL
}

// numberSize returns the size of a number: one byte for every two digits, one more, and one for a
// minus sign.
func numberSize(s string) int {
	n, _ := ParseNumber(s)
	size := max(1, len(sortable.AppendNumber(make([]byte, 0, 32), n))-2) // pairs of digits, with two bytes more
	if strings.HasPrefix(s, "-") && size > 1 {
		size++
	}
	return size
}

// readUnits returns the read units of one read of a number of bytes.
func readUnits(bytes int, consistent bool) float64 {
	units := float64(max(1, (bytes+readUnit-1)/readUnit))
	if !consistent {
		units /= 2
	}
	return units
}

// writeUnits returns the write units of a write, given the item's size before and after it.
func writeUnits(before, after int) float64 {
	return float64(max(1, (max(before, after)+writeUnit-1)/writeUnit))
}
