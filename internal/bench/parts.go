package main

import (
	"context"
	"strings"
)

// parts are what can be measured, in this order.
var parts = []struct {
	name    string
	measure func(context.Context, *bench, flags, *report) error
}{
	{"units", func(ctx context.Context, b *bench, _ flags, r *report) error {
		for _, set := range r.sets {
			f, err := b.measureUnits(ctx, set)
			if err != nil {
				return err
			}
			r.units, r.cursor = append(r.units, f), max(r.cursor, f.cursor)
		}
		return nil
	}},
	{"pages", func(ctx context.Context, b *bench, f flags, r *report) error { return b.measurePages(ctx, f, r) }},
	{"hot", func(ctx context.Context, b *bench, f flags, r *report) error { return b.measureHot(ctx, f, r) }},
	{"texts", func(ctx context.Context, b *bench, _ flags, r *report) error {
		for _, set := range r.sets {
			rows, err := b.measureTexts(ctx, set)
			if err != nil {
				return err
			}
			r.texts = append(r.texts, rows...)
		}
		return nil
	}},
	{"import", func(ctx context.Context, b *bench, f flags, r *report) (err error) {
		r.imported, err = b.measureImport(ctx, f.ImportLines)
		return err
	}},
	{"projecting", func(ctx context.Context, b *bench, _ flags, r *report) (err error) {
		r.projecting, err = b.measureProjecting(ctx)
		return err
	}},
	{"forms", func(ctx context.Context, b *bench, _ flags, r *report) (err error) {
		r.forms, err = b.measureForms(ctx)
		return err
	}},
}

// partNames spells them for the help.
func partNames() string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	return strings.Join(names, ",")
}
