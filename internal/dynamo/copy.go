package dynamo

import (
	"bytes"
	"maps"
)

// maxDepth is how deeply documents and lists may be nested.
const maxDepth = 32

// storedItem checks an item that comes from a caller and returns a copy in the
// form in which it is kept.
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

// stored checks a value that comes from a caller and returns it as it is kept:
// numbers spelt in one way, and sharing no map or slice with the caller. Scalars
// are shared, since no one alters those in place.
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

// Given returns a kept item for a caller, who may alter its maps and lists. It
// is nil for no item.
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
