package dynamo

import (
	"bytes"
	"maps"
)

// maxDepth is the maximum nesting depth of documents and lists.
const maxDepth = 32

// storedItem checks an item of a caller and returns a copy in the stored form, see stored.
func storedItem(it Item) (Item, error) {
	out := make(Item, len(it))
	for name, v := range it {
		var err error
		if out[name], err = stored(v, 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stored checks a value of a caller and returns its stored form: numbers are normalized, and maps
// and slices are copied. Scalars are shared with the caller, because they are immutable by
// convention.
func stored(v Value, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, Invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
	}
	switch v := v.(type) {
	case *text, *boolean:
		return v, nil
	case *number:
		n, err := ParseNumber(v.Value)
		if err != nil || n.String() == v.Value {
			return v, err
		}
		return &number{Value: n.String()}, nil
	case *binary:
		return &binary{Value: bytes.Clone(v.Value)}, nil
	case *document:
		out := make(Item, len(v.Value))
		for name, e := range v.Value {
			var err error
			if out[name], err = stored(e, depth+1); err != nil {
				return nil, err
			}
		}
		return &document{Value: out}, nil
	}
	return nil, Invalid("Attribute values of the type %T are not supported", v)
}

// Given returns a copy of a stored item for a caller, who may alter its maps and lists. It returns
// nil for nil.
func Given(it Item) Item {
	out := maps.Clone(it)
	for name, v := range out {
		out[name] = givenValue(v)
	}
	return out
}

func givenValue(v Value) Value {
	switch v := v.(type) {
	case *document:
		return &document{Value: Given(v.Value)}
	case *binary:
		return &binary{Value: bytes.Clone(v.Value)}
	}
	return v
}
