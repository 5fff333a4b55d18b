package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"product-comments/internal/files/progress"
	"product-comments/store/derive/index"
	"product-comments/store/table"
)

type attributesCmd struct {
	Status attributesStatus `cmd:"" help:"Show the products whose comments are still being converted to changed attribute definitions, with the progress. The exit status is ${exit_found} if there are any."`
	Fill   attributesFill   `cmd:"" help:"Convert comments to changed attribute definitions. Projectors do this by themselves, except on AWS Lambda. If stopped, it continues when it is run again."`
}

type attributesStatus struct{ storeFlags }

// Run prints the conversions that are under way.
func (a *attributesStatus) Run(ctx context.Context) error {
	return a.withStore(ctx, func(opened *openStore) error {
		fills, err := opened.AttributeIndex().Backfill().All(ctx)
		if err != nil {
			return err
		}
		for _, p := range fills {
			fmt.Println(formatProgress(ctx, opened, p))
		}
		if len(fills) > 0 {
			return errDiffers
		}
		fmt.Println("all comments are converted to their attribute definitions")
		return nil
	})
}

// formatProgress describes a backfill: the product or group, the state of the index, and the
// progress.
func formatProgress(ctx context.Context, opened *openStore, p index.Progress) string {
	if p.Group != "" {
		return fmt.Sprintf("group %s: %s, %s", p.Group, p.State(), p)
	}
	line := fmt.Sprintf("product %s: %s, %s", p.Product, p.State(), p)
	if n := commentsOf(ctx, opened, p.Product); n > 0 {
		line += fmt.Sprintf(", of about %d", n)
	}
	return line
}

// backfillStatus describes the indexes that are being built or removed, one per line.
func backfillStatus(opened *openStore) func(context.Context) string {
	return func(ctx context.Context) string {
		now, err := opened.Settings().Recent(ctx)
		if err != nil {
			return ""
		}
		var b strings.Builder
		for _, of := range []struct {
			name  string
			any   bool
			index *index.Backfill
		}{{"definitions of attributes", now.Attributes, opened.AttributeIndex().Backfill()}, {"power sets", len(now.PowerSets) > 0, opened.PowerSets().Backfill()}} {
			if !of.any {
				continue
			}
			fills, err := of.index.All(ctx)
			if err != nil {
				b.WriteString(of.name + ": " + sentence(err) + "\n")
			}
			for _, p := range fills {
				b.WriteString(of.name + ": " + formatProgress(ctx, opened, p) + "\n")
			}
		}
		return b.String()
	}
}

type attributesFill struct{ storeFlags }

// fillPause is the time between two looks for remaining backfills.
const fillPause = time.Second

// Run continues the backfills until none remains.
func (a *attributesFill) Run(ctx context.Context) error {
	return a.withStore(ctx, func(opened *openStore) error {
		bar := progress.Stderr().Begin(progress.Work{Name: "convert to definitions", Unit: "comments"})
		done := false
		defer func() { bar.End(done) }()
		for {
			if err := opened.AttributeIndex().Maintain(table.Patiently(ctx)); err != nil {
				return hintRerun(err)
			}
			fills, err := opened.AttributeIndex().Backfill().All(ctx)
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
	})
}
