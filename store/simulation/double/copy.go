package double

import (
	"bytes"
	"maps"
	"slices"
)

// maxDepth is how deeply documents and lists may be nested.
const maxDepth = 32

// storedItem checks an item that comes from a caller and returns a copy in the
// form in which it is kept.
func storedItem(it item) (item, error) {
	out := make(item, len(it))
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
// are shared, since nobody alters those in place.
func stored(v value, depth int) (value, error) {
	if depth > maxDepth {
		return nil, invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
	}
	switch v := v.(type) {
	case *text, *boolean:
		return v, nil
	case *number:
		n, err := parseNumber(v.Value)
		if err != nil || n.String() == v.Value {
			return v, err
		}
		return &number{Value: n.String()}, nil
	case *binary:
		return &binary{Value: bytes.Clone(v.Value)}, nil
	case *null:
		if !v.Value {
			return nil, invalid("One or more parameter values were invalid: Null attribute value types must have the value of true")
		}
		return v, nil
	case *list:
		out := make([]value, len(v.Value))
		for i, e := range v.Value {
			var err error
			if out[i], err = stored(e, depth+1); err != nil {
				return nil, err
			}
		}
		return &list{Value: out}, nil
	case *document:
		out := make(item, len(v.Value))
		for name, e := range v.Value {
			var err error
			if out[name], err = stored(e, depth+1); err != nil {
				return nil, err
			}
		}
		return &document{Value: out}, nil
	case *texts, *numbers, *binaries:
		return storedSet(v)
	}
	return nil, invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

func storedSet(set value) (value, error) {
	if numbers, ok := set.(*numbers); ok {
		for _, n := range numbers.Value {
			if _, err := parseNumber(n); err != nil {
				return nil, err
			}
		}
	}
	all := members(set)
	if len(all) == 0 {
		return nil, invalid("One or more parameter values were invalid: An set may not be empty")
	}
	if len(slices.Compact(slices.Clone(all))) < len(all) {
		return nil, invalid("One or more parameter values were invalid: Input collection contains duplicates")
	}
	return setOf(set, all), nil
}

// given returns a kept item for a caller, who may alter its maps and lists. It
// is nil for no item.
func given(it item) item {
	out := maps.Clone(it)
	for name, v := range out {
		out[name] = givenValue(v)
	}
	return out
}

func givenValue(v value) value {
	switch v := v.(type) {
	case *list:
		out := slices.Clone(v.Value)
		for i, e := range out {
			out[i] = givenValue(e)
		}
		return &list{Value: out}
	case *document:
		return &document{Value: given(v.Value)}
	case *binary:
		return &binary{Value: bytes.Clone(v.Value)}
	case *texts, *numbers, *binaries:
		return setOf(v, members(v))
	}
	return v
}
