package command

import (
	"context"
	"fmt"

	"product-comments/internal/files/progress"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
)

type productCmd struct {
	Set            projectionCmd     `cmd:"" help:"Change how a product's comments are indexed."`
	Moderation     productModeration `cmd:"" help:"Set how a product's comments are moderated."`
	PlainLanguages plainLanguages    `cmd:"" help:"Replace language tags that are no longer accepted, or not canonical, by the plain language. Repairs a product with comments in too many languages."`
}

type projectionCmd struct {
	storeFlags
	Product    string `arg:"" help:"The shop's own product id." type:"product"`
	Projection string `help:"power-set stores each comment once for every set of ratings, so that any filter is one query, with up to 32 more items a comment; indexes stores it once, the default." enum:"power-set,indexes" required:""`
}

// Run switches the projection. If it is stopped, it continues when it is run again.
func (p *projectionCmd) Run(ctx context.Context) error {
	return p.withStore(ctx, func(opened *openStore) error {
		to, state := opened.PowerSets().Disable, settings.IndexAbsent
		if p.Projection == "power-set" {
			to, state = opened.PowerSets().Enable, settings.IndexReadable
		}
		bar := progress.Stderr().Begin(progress.Work{Name: p.Projection, Unit: "comments",
			Total: commentsOf(ctx, opened, p.Product)})
		err := to(ctx, p.Product, func(n int) { bar.Set(int64(n)) })
		bar.End(err == nil)
		if err != nil {
			return hintRerun(err)
		}
		fmt.Printf("product %s: %s, its power set is %s\n", p.Product, p.Projection, state)
		page, err := opened.Page(ctx, plan.Filter{ProductID: p.Product}, store.Window{Limit: 1})
		if err == nil && len(page.Items) == 0 {
			fmt.Printf("The product %s is unknown: the table has no comment about it. Check that this is the shop's own id. The setting applies to future comments.\n", p.Product)
		}
		return err
	})
}

// commentsOf returns how many comments a product has, 0 if unknown.
func commentsOf(ctx context.Context, opened *openStore, product string) int64 {
	counts, err := opened.Statistics(ctx, []stats.Scope{{ProductID: product}})
	if err != nil || len(counts) == 0 {
		return 0
	}
	return int64(counts[0].Total())
}

type plainLanguages struct {
	storeFlags
	Product string `arg:"" help:"The shop's own product id." type:"product"`
}

// Run changes the comments. If it is stopped, it continues when it is run again.
func (p *plainLanguages) Run(ctx context.Context) error {
	return p.withStore(ctx, func(opened *openStore) error {
		bar := progress.Stderr().Begin(progress.Work{Name: "plain-languages", Unit: "comments"})
		n, err := opened.PlainLanguages(ctx, p.Product, func(n int) { bar.Set(int64(n)) })
		bar.End(err == nil)
		fmt.Printf("product %s: changed %s\n", p.Product, progress.Counted(int64(n), "comment"))
		return hintRerun(err)
	})
}
