package command

import (
	"context"
	"errors"
	"fmt"

	"product-comments/internal/progress"
	"product-comments/store/errs"
	"product-comments/store/pack"
	"product-comments/store/settings"
)

type texts struct {
	Train training `cmd:"" help:"Make a dictionary from comments of the table, with which new ones are written smaller. Worth it again when comments are about other things than they were."`
	Pack  packAll  `cmd:"" help:"Pack the comments that were written before there was a dictionary, or with an older one, while reads and writes go on."`
	Prune pruning  `cmd:"" help:"Delete the dictionaries that no comment is packed with any more, so that they do not hold phrases of comments that are gone. It reads the whole table, once the one in use is an hour old."`
}

type pruning struct {
	storeFlags
	rateFlag
}

// Run deletes them and says which.
func (p *pruning) Run(ctx context.Context) error {
	return p.with(ctx, func(opened *openStore) error {
		bar := begin(ctx, opened.Store, "prune")
		versions, err := opened.Packing().Prune(ctx, p.Rate, bar.Set)
		bar.End(err == nil)
		for _, version := range versions {
			fmt.Printf("deleted dictionary %d\n", version)
		}
		if len(versions) == 0 && err == nil {
			fmt.Println("there is no dictionary that nothing needs")
		}
		return err
	})
}

type training struct {
	storeFlags
	rateFlag
}

// Run trains a dictionary and tells what it is worth.
func (t *training) Run(ctx context.Context) error {
	return t.with(ctx, func(opened *openStore) error {
		samples, err := opened.Packing().Sample(ctx, pack.Samples, t.Rate)
		if err != nil {
			return err
		}
		trained, err := opened.Packing().Train(ctx, settings.Whatever, samples)
		if err != nil {
			return err
		}
		fmt.Printf("dictionary %d from %d comments: author, title and text take %.0f %% of their size. New comments are packed from now on; product-comments texts pack packs the others at once, a projector by and by.\n", trained.Version, len(samples), 100*trained.Share)
		return nil
	})
}

type packAll struct {
	storeFlags
	rateFlag
}

// Run packs. Stopped, it goes on the next time.
func (p *packAll) Run(ctx context.Context) error {
	return p.with(ctx, func(opened *openStore) error {
		bar := begin(ctx, opened.Store, "pack")
		n, err := opened.Packing().All(ctx, p.Rate, bar.Set)
		bar.End(err == nil)
		if errs.CodeOf(err) == errs.NotFound {
			return errors.New("the table has no dictionary to pack with: product-comments texts train makes one of its comments, once some hundreds of them have a text")
		}
		fmt.Printf("packed %s\n", progress.Counted(n, "comment"))
		return goesOn(err)
	})
}
