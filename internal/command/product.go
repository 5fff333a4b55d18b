package command

import (
	"context"
	"fmt"
)

type products struct {
	Set            setting        `cmd:"" help:"Change how a product's comments are kept."`
	PlainLanguages plainLanguages `cmd:"" help:"Give comments with made-up language tags, which would be refused today, the plain language. Heals a product that has comments in too many languages."`
}

type setting struct {
	storeFlags
	Product    string `arg:"" help:"The shop's own product id."`
	Projection string `help:"power-set keeps each comment once for every set of ratings, so that any filter is one query, at 32 more items a comment; indexes does not, which is the default for every product." enum:"power-set,indexes" required:""`
}

// Run switches the projection on or off. Stopped, it goes on the next time.
func (p *setting) Run(ctx context.Context) (err error) {
	opened, err := p.open(ctx, p.logger())
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	bar := newCounter(p.Projection, "comments")
	progress := func(n int) { bar.set(int64(n)) }
	if p.Projection == "power-set" {
		err = opened.PowerSets().On(ctx, p.Product, progress)
	} else {
		err = opened.PowerSets().Off(ctx, p.Product, progress)
	}
	bar.end()
	if err != nil {
		return fmt.Errorf("%w; running it again goes on with it", err)
	}
	fmt.Printf("product %s: %s\n", p.Product, p.Projection)
	return nil
}
