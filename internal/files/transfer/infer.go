package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"product-comments/internal/files/progress"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/settings/definitions"
)

// maxInferred is the maximum of products with separately inferred definitions, because the values
// of all of them are in memory until all files were read.
const maxInferred = 10_000

// maxReported is the maximum of attributes, for a product or group, that are reported for a missing
// or non-numeric definition.
const maxReported = 10

// infer reads all files and defines their attributes.
func infer(ctx context.Context, jobs []*job, o Options, show *progressOutput) error {
	if !o.Infer {
		return nil
	}
	o.Fit = nil
	met, products := map[definitions.Scope]*attributes.Inference{}, map[string]bool{}
	for _, j := range jobs {
		if j.info == nil || !j.info.Mode().IsRegular() {
			return fmt.Errorf("%s: attributes are inferred in a first pass over the file, so it must be readable twice: name a regular file", shownName(j.name))
		}
		src, err := open(j.name, j.info, nil)
		if err != nil {
			return err
		}
		for w, err := range src.windows(ctx, &o, lineEnd{}) {
			if err != nil {
				return fmt.Errorf("%s: %w", j.name, err)
			}
			for _, c := range w.comments {
				if len(c.Attributes) == 0 {
					continue
				}
				of := definitions.Scope{Product: c.ProductID}
				if o.Group != "" {
					of = definitions.Scope{Group: o.Group}
				}
				if met[of] == nil {
					met[of] = new(attributes.Inference)
				}
				met[of].Add(c.Attributes)
				products[c.ProductID] = true
			}
			if len(met) > maxInferred {
				return fmt.Errorf("%s: more than %s products have attributes: define them for a group with --attribute-group", j.name, humanize.Comma(maxInferred))
			}
		}
	}
	byProduct := func(a, b definitions.Scope) int { return strings.Compare(a.Product, b.Product) }
	for _, of := range slices.SortedFunc(maps.Keys(met), byProduct) {
		if err := defineMissing(ctx, o.Attributes, of, met[of], show); err != nil {
			return err
		}
	}
	if o.Group == "" {
		return nil
	}
	for _, p := range slices.Sorted(maps.Keys(products)) {
		if err := o.Attributes.Assign(ctx, definitions.Assignment{Product: p, Group: o.Group}); err != nil {
			return fmt.Errorf("assign product %s to group %s: %w", p, o.Group, err)
		}
	}
	return nil
}

// defineMissing adds missing definitions to a product or group, and retries if another writer
// changes them concurrently.
func defineMissing(
	ctx context.Context, in *definitions.Store, of definitions.Scope, met *attributes.Inference, show *progressOutput,
) error {
	for {
		has, err := in.Own(ctx, of)
		if err != nil {
			return err
		}
		inherits := new(attributes.Definitions)
		if of.Group == "" {
			if inherits, err = in.Definitions(ctx, of.Product); err != nil {
				return err
			}
		}
		all, leftOut, doubts := met.Definitions(has, inherits)
		_, err = in.Define(ctx, definitions.Change{Scope: of, Definitions: all})
		var coded *errs.Error
		switch {
		case errs.CodeOf(err) == errs.Conflict:
			continue
		case errors.As(err, &coded):
			return fmt.Errorf("define the attributes of %s: %w", of, err)
		case err != nil:
			return err
		}
		if n := len(all) - len(has); n > 0 {
			show.Printf("%s: %s defined", of, progress.Counted(int64(n), "attribute"))
		}
		for _, d := range doubts[:min(len(doubts), maxReported)] {
			show.Printf("%s: not defined as numbers: %s", of, d)
		}
		if len(leftOut) > 0 {
			show.Printf("%s: not defined: %s; comments keep their values", of, strings.Join(leftOut[:min(len(leftOut), maxReported)], ", "))
		}
		return nil
	}
}
