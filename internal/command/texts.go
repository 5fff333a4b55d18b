package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"product-comments/internal/progress"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/pack"
	"product-comments/store/packing"
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

// packFlags say whether texts are packed without anybody asking.
type packFlags struct {
	Pack string `help:"auto packs author, title and text of comments with a dictionary of the shop's own phrases, which is made as soon as there are enough texts; off writes them as plain attributes." enum:"auto,off" default:"auto" env:"PACK"`
}

// apply adds to the options of a store what the flags say.
func (f packFlags) apply(o store.Options, log *slog.Logger) store.Options {
	if f.Pack == "off" {
		o.PlainTexts = true
		return o
	}
	o.Packing = &packing.Options{Log: log}
	return o
}

// learn returns what an import tells about its first comments, nil if the table
// has a dictionary already or none is wanted. Comments that are no use for one
// are imported plain.
func learn(ctx context.Context, opened *openStore, log *slog.Logger) (func(context.Context, []pack.Words) error, error) {
	lacks, err := opened.Settings().LacksDictionary(ctx)
	if err != nil || !lacks {
		return nil, err
	}
	return func(ctx context.Context, words []pack.Words) error {
		trained, err := opened.Packing().Train(ctx, 0, words)
		switch {
		case errs.CodeOf(err) == errs.BadUserInput:
			log.Info("texts are imported plain", "why", err)
			return nil
		case err != nil:
			return err
		}
		log.Info("made a dictionary of the comments' phrases, with which they take less room", "version", trained.Version, "comments", len(words), "share", trained.Share)
		return nil
	}, nil
}

// keepDictionaries loads the table's dictionaries, so that nobody's page has to
// wait for one, and every new one as it comes, until stop is called. Until they
// are loaded for the first time the server is not ready.
func (o *openStore) keepDictionaries(ctx context.Context, log *slog.Logger) (stop func()) {
	var mu sync.Mutex
	loaded := false
	load := func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if loaded {
			return nil
		}
		err := o.Settings().LoadDictionaries(ctx)
		if errs.CodeOf(err) == errs.Unavailable {
			return err
		}
		if err != nil { // the server is of use without it
			log.Error("comments that were packed with a lost dictionary cannot be read", "error", err)
		}
		loaded = true
		return nil
	}
	if err := load(ctx); err != nil {
		log.Warn("the dictionaries of texts are not loaded yet", "error", err)
	}
	ask := o.Ready
	o.Ready = func(ctx context.Context) error {
		if err := load(ctx); err != nil {
			return err
		}
		return ask(ctx)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { o.Settings().KeepDictionaries(ctx) })
	return func() { cancel(); running.Wait() }
}
