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

// fit moves comments of a window to its rejects: those whose attributes do not convert, in
// a sheet those with numbers that may be others, and strictly those with attributes that
// their products lack. It returns an Unavailable error if the store does not answer.
func (w *window) fit(ctx context.Context, how reading, file string) error {
	if how.fit == nil || len(w.comments) == 0 {
		return nil
	}
	fits, err := how.fit(ctx, w.comments)
	if err != nil {
		return err
	}
	comments, sources := w.comments[:0], w.sources[:0]
	for i, from := range w.sources {
		if wrong := w.fitting.take(fits[i], how, how.isSheet(file)); wrong != nil {
			w.rejects = append(w.rejects, newReject(file, from.line, from.raw, wrong))
			continue
		}
		comments, sources = append(comments, w.comments[i]), append(sources, from)
	}
	w.comments, w.sources = comments, sources
	return nil
}

// take counts a comment, and returns the error that refuses it, if any.
func (f *fitting) take(got store.Fit, how reading, isSheet bool) error {
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
	return got.Problem
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
