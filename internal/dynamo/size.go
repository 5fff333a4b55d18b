package dynamo

const (
	maxItem   = 400 << 10
	readUnit  = 4 << 10
	writeUnit = 1 << 10
	// MaxPage is how many bytes of items a page of a query or scan, or of records, reads at least
	// before it ends.
	MaxPage = 1 << 20
	// MaxBatchGot is how many bytes of items a BatchGetItem returns.
	MaxBatchGot = 16 << 20
)

// Size is what DynamoDB counts of an item, in bytes: names and values.
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

// numberSize is a byte for two digits and one more, and one for the sign.
func numberSize(s string) int {
	d, _ := ParseNumber(s)
	n := (len(d.digits)+1)/2 + 1
	if d.negative {
		n++
	}
	return n
}

// readUnits is what reading that many bytes at once costs.
func readUnits(bytes int, consistent bool) float64 {
	units := float64(max(1, (bytes+readUnit-1)/readUnit))
	if !consistent {
		units /= 2
	}
	return units
}

// writeUnits is what writing an item costs that had one size and has another.
func writeUnits(before, after int) float64 {
	return float64(max(1, (max(before, after)+writeUnit-1)/writeUnit))
}
