package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"product-comments/internal/progress"
	"product-comments/store/attributes"
	"product-comments/store/errs"
)

// Infer makes an import define attributes that have no definition, before it writes anything.
// Types and choices are inferred from all values in the files, labels from the keys.
type Infer struct {
	// Group is the group of products that gets the definitions, and that the products are assigned
	// to. If it is empty, each product gets definitions of its own.
	Group string
}

// maxInferred is the maximum of products with separately inferred definitions, because the values
// of all of them are in memory until all files were read.
const maxInferred = 10_000

// maxReported is the maximum of attributes, for a product or group, that are reported for a missing
// or non-numeric definition.
const maxReported = 10

// inferred are the attribute values of comments, by product.
type inferred struct {
	group    string
	products map[string]*attributes.Inference // the same inference for all products of a group
}

// observe adds the comments of a window.
func (f *inferred) observe(w *window) error {
	for i := range w.comments {
		c := &w.comments[i]
		if len(c.Attributes) == 0 {
			continue
		}
		of := f.products[c.ProductID]
		if of == nil {
			of = f.products[""]
			if f.group == "" || of == nil {
				of = new(attributes.Inference)
			}
			if f.group != "" {
				f.products[""] = of
			}
			if len(f.products) > maxInferred && f.group == "" {
				return fmt.Errorf("more than %s products have attributes: define them for a group with --attribute-group", humanize.Comma(maxInferred))
			}
			f.products[c.ProductID] = of
		}
		of.Add(c.Attributes)
	}
	return nil
}

// infer reads all files and defines their attributes.
func infer(ctx context.Context, jobs []*job, o Options, show *progressOutput) error {
	if o.Infer == nil {
		return nil
	}
	met := inferred{group: o.Infer.Group, products: map[string]*attributes.Inference{}}
	how := o.readOptions()
	how.fit = nil
	for _, j := range jobs {
		if j.info == nil || !j.info.Mode().IsRegular() {
			return fmt.Errorf("%s: attributes are inferred in a first pass over the file, so it must be readable twice: name a regular file", shownName(j.name))
		}
		if err := inferFrom(ctx, j, how, o.window, &met); err != nil {
			return err
		}
	}
	return met.define(ctx, o.Attributes, show)
}

func inferFrom(ctx context.Context, j *job, how reading, most int, met *inferred) error {
	src, err := open(j.name, j.info, nil)
	if err != nil {
		return err
	}
	p := start(ctx, src, how, most, lineEnd{})
	defer p.stop()
	for {
		w, err := p.next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = met.observe(w)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
	}
}

// define adds the missing definitions of products or of the group.
func (f *inferred) define(ctx context.Context, in *attributes.Store, show *progressOutput) error {
	products := slices.DeleteFunc(slices.Sorted(maps.Keys(f.products)), func(p string) bool { return p == "" })
	if f.group != "" {
		if len(products) == 0 {
			return nil
		}
		if err := defineMissing(ctx, in, attributes.Scope{Group: f.group}, f.products[""], show); err != nil {
			return err
		}
		for _, p := range products {
			if err := in.Assign(ctx, attributes.Assignment{Product: p, Group: f.group}); err != nil {
				return fmt.Errorf("assign product %s to group %s: %w", p, f.group, err)
			}
		}
		return nil
	}
	for _, p := range products {
		if err := defineMissing(ctx, in, attributes.Scope{Product: p}, f.products[p], show); err != nil {
			return err
		}
	}
	return nil
}

// defineMissing adds missing definitions to a product or group, and retries if another writer
// changes them concurrently.
func defineMissing(
	ctx context.Context, in *attributes.Store, of attributes.Scope, met *attributes.Inference, show *progressOutput,
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
		_, err = in.Define(ctx, attributes.Change{Scope: of, Definitions: all})
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
			show.printf("%s: %s defined", of, progress.Counted(int64(n), "attribute"))
		}
		for _, d := range doubts[:min(len(doubts), maxReported)] {
			show.printf("%s: not defined as numbers: %s", of, d)
		}
		if len(leftOut) > 0 {
			show.printf("%s: not defined: %s; comments keep their values", of, strings.Join(leftOut[:min(len(leftOut), maxReported)], ", "))
		}
		return nil
	}
}
