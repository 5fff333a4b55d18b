package attributes

import "slices"

// Unconverted returns the keys of the attributes whose values may no longer convert under later
// definitions.
func (d *Definitions) Unconverted(later *Definitions) (keys []string) {
	for i := range d.list {
		if key := d.list[i].Key; takes(&d.list[i], later.Get(key)) {
			keys = append(keys, key)
		}
	}
	return keys
}

// takes reports whether values may no longer convert after a change of a definition; to is nil
// if it is removed.
func takes(from, to *Definition) bool {
	switch {
	case to == nil:
		return true
	case to.Type == Text: // a value of any other type is a short text
		return false
	case to.Type != from.Type, to.Type == Date && to.Locale != from.Locale:
		return true
	}
	return slices.ContainsFunc(from.Options, func(o Option) bool { _, stays := to.places[o.Value]; return !stays })
}
