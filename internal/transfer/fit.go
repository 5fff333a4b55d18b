package transfer

import (
	"context"
	"maps"
	"slices"

	"product-comments/store"
	"product-comments/store/errs"
)

// fitting is how the attributes of the lines of a window go together with their
// products' definitions.
type fitting struct {
	Undefined unknown `json:"undefined,omitempty"` // lines with an attribute that their product lacks, by its key
	Unknown   int64   `json:"unknown,omitempty"`   // lines with attributes whose products have no definitions
}

// fit refuses a comment whose attributes do not convert, in a sheet one with numbers that
// may be others, and strictly one with attributes that its product lacks. It returns an Unavailable error, as stop, if the
// store does not answer.
func (f *fitting) fit(ctx context.Context, how reading, isSheet bool, c *store.Comment) (refused, stop error) {
	if how.fit == nil {
		return nil, nil
	}
	got, err := how.fit(ctx, c)
	if err != nil {
		return nil, err
	}
	if isSheet {
		got.Problem = errs.Join(got.Problem, got.Ambiguous)
	}
	if got.Unknown {
		f.Unknown++
	}
	for _, key := range got.Undefined {
		f.Undefined = f.Undefined.with(unknown{key: 1})
		if how.json.Strict && got.Problem == nil {
			got.Problem = errs.Invalid("attributes."+key, "the product has no attribute of this name").For(errs.NotAnAttribute)
		}
	}
	return got.Problem, nil
}

// with returns the sum.
func (f fitting) with(more fitting) fitting {
	return fitting{Undefined: f.Undefined.with(more.Undefined), Unknown: f.Unknown + more.Unknown}
}

// tell says what was met.
func (f fitting) tell(say func(format string, args ...any)) {
	for _, key := range slices.Sorted(maps.Keys(f.Undefined)) {
		if key == otherNames {
			say("%s with attributes of other names that are not defined: they are kept", ofLines(f.Undefined[key]))
			continue
		}
		say("%s with an attribute %q, which is not defined: it is kept, and shown once it is defined", ofLines(f.Undefined[key]), key)
	}
	if f.Unknown > 0 {
		say("%s with attributes of products that define none: they are kept, and shown once they are defined; --infer-attributes defines them", ofLines(f.Unknown))
	}
}
