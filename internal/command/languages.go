package command

import (
	"context"
	"fmt"

	"product-comments/internal/progress"
)

type plainLanguages struct {
	storeFlags
	Product string `arg:"" help:"The shop's own product id."`
}

// Run changes the comments. Stopped, it goes on the next time.
func (p *plainLanguages) Run(ctx context.Context) error {
	return p.with(ctx, func(opened *openStore) error {
		bar := progress.Stderr().Begin(progress.Work{Name: "plain-languages", Unit: "comments"})
		n, err := opened.PlainLanguages(ctx, p.Product, func(n int) { bar.Set(int64(n)) })
		bar.End(err == nil)
		fmt.Printf("product %s: changed %s\n", p.Product, progress.Counted(int64(n), "comment"))
		return goesOn(err)
	})
}
