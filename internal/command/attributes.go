package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"product-comments/internal/progress"
	"product-comments/store/columns"
	"product-comments/store/table"
)

type attributing struct {
	Status attributesStatus `cmd:"" help:"Show of which products comments are still being brought to changed definitions of attributes, and how far that is. The exit status is ${exit_found} if there are any."`
	Fill   attributesFill   `cmd:"" help:"Bring comments to changed definitions of attributes, which projectors do by themselves, but for those on AWS Lambda. It may be stopped, and goes on when it is run again."`
}

type attributesStatus struct{ storeFlags }

// Run shows what is under way.
func (a *attributesStatus) Run(ctx context.Context) error {
	return a.with(ctx, func(opened *openStore) error {
		fills, err := opened.Columns().Fills(ctx)
		if err != nil {
			return err
		}
		for _, f := range fills {
			fmt.Println(spellFill(ctx, opened, f))
		}
		if len(fills) > 0 {
			return errDiffers
		}
		fmt.Println("all comments are as the definitions of their attributes say")
		return nil
	})
}

func spellFill(ctx context.Context, opened *openStore, f columns.Fill) string {
	if f.Group != "" {
		return fmt.Sprintf("group %s: %s", f.Group, f)
	}
	line := fmt.Sprintf("product %s: %s", f.Product, f)
	if n := commentsOf(ctx, opened, f.Product); n > 0 {
		line += fmt.Sprintf(", of about %d", n)
	}
	return line
}

// filling tells operators which comments are still being brought to definitions.
func filling(opened *openStore) func(context.Context) string {
	return func(ctx context.Context) string {
		now, err := opened.Settings().Recent(ctx)
		if err != nil || !now.Attributes {
			return ""
		}
		fills, err := opened.Columns().Fills(ctx)
		if err != nil {
			return "definitions of attributes: " + sentence(err) + "\n"
		}
		var b strings.Builder
		for _, f := range fills {
			b.WriteString("definitions of attributes: " + spellFill(ctx, opened, f) + "\n")
		}
		return b.String()
	}
}

type attributesFill struct{ storeFlags }

// fillPause is how long to wait until the next look at what is left to do.
const fillPause = time.Second

// Run carries on what is under way until nothing is left.
func (a *attributesFill) Run(ctx context.Context) error {
	return a.with(ctx, func(opened *openStore) error { return fillAll(ctx, opened) })
}

// fillAll carries on what brings comments to definitions until nothing is left.
func fillAll(ctx context.Context, opened *openStore) error {
	bar := progress.Stderr().Begin(progress.Work{Name: "bring to definitions", Unit: "comments"})
	done := false
	defer func() { bar.End(done) }()
	for {
		if err := opened.Columns().Maintain(table.Patiently(ctx)); err != nil {
			return goesOn(err)
		}
		fills, err := opened.Columns().Fills(ctx)
		if err != nil {
			return err
		}
		if len(fills) == 0 {
			done = true
			return nil
		}
		bar.Set(int64(fills[0].Comments))
		if err := table.Sleep(ctx, fillPause); err != nil {
			return err
		}
	}
}
