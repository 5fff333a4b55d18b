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

type textsCmd struct {
	Train trainCmd `cmd:"" help:"Train a dictionary on the table's comments, with which new ones are compressed. Repeat it when the topics of comments have changed."`
	Pack  packCmd  `cmd:"" help:"Compress the comments that were written without a dictionary or with an older one, while reads and writes go on."`
	Prune pruneCmd `cmd:"" help:"Delete the dictionaries that no comment needs, so that they do not keep phrases of deleted comments. It reads the whole table, and requires that the dictionary in use is an hour old."`
}

type pruneCmd struct {
	storeFlags
	rateFlag
}

// Run deletes unused dictionaries and prints them.
func (p *pruneCmd) Run(ctx context.Context) error {
	return p.withStore(ctx, func(opened *openStore) error {
		bar := beginProgress(ctx, opened.Store, "prune")
		versions, err := opened.Packing().Prune(ctx, p.Rate, bar.Set)
		bar.End(err == nil)
		for _, version := range versions {
			fmt.Printf("deleted dictionary %d\n", version)
		}
		if len(versions) == 0 && err == nil {
			fmt.Println("every dictionary is in use")
		}
		return err
	})
}

type trainCmd struct {
	storeFlags
	rateFlag
}

// Run trains a dictionary and prints its compression ratio.
func (t *trainCmd) Run(ctx context.Context) error {
	return t.withStore(ctx, func(opened *openStore) error {
		samples, err := opened.Packing().Sample(ctx, pack.Samples, t.Rate)
		if err != nil {
			return err
		}
		trained, err := opened.Packing().Train(ctx, settings.Whatever, samples)
		if err != nil {
			return err
		}
		fmt.Printf("dictionary %d, trained on %d comments, compresses author, title and text to %.0f %% of their size. New comments are compressed from now on; product-comments texts pack compresses the others at once, a projector gradually.\n", trained.Version, len(samples), 100*trained.Share)
		return nil
	})
}

type packCmd struct {
	storeFlags
	rateFlag
}

// Run compresses all texts. If it is stopped, it continues when it is run again.
func (p *packCmd) Run(ctx context.Context) error {
	return p.withStore(ctx, func(opened *openStore) error {
		bar := beginProgress(ctx, opened.Store, "pack")
		n, err := opened.Packing().All(ctx, p.Rate, bar.Set)
		bar.End(err == nil)
		if errs.CodeOf(err) == errs.NotFound {
			return errors.New("the table has no dictionary to compress texts with: run product-comments texts train when some hundreds of comments have a text")
		}
		fmt.Printf("packed %s\n", progress.Counted(n, "comment"))
		return hintRerun(err)
	})
}

// packFlags configure whether texts are compressed automatically.
type packFlags struct {
	Pack string `help:"auto compresses author, title and text of comments with a dictionary trained on the shop's texts as soon as there are enough; off writes them as plain attributes." enum:"auto,off" default:"auto" env:"PACK"`
}

// apply adds the flags to the options of a store.
func (f packFlags) apply(o store.Options, log *slog.Logger) store.Options {
	if f.Pack == "off" {
		o.PlainTexts = true
		return o
	}
	o.Packing = &packing.Options{Log: log}
	return o
}

// dictionaryTrainer returns a function that trains a dictionary on the first comments of an
// import; nil if the table has a dictionary or the flags want none. Comments that are unsuitable
// for training are imported without compression.
func dictionaryTrainer(
	ctx context.Context, opened *openStore, log *slog.Logger,
) (func(context.Context, []pack.Words) error, error) {
	lacks, err := opened.Settings().LacksDictionary(ctx)
	if err != nil || !lacks {
		return nil, err
	}
	return func(ctx context.Context, words []pack.Words) error {
		trained, err := opened.Packing().Train(ctx, 0, words)
		switch {
		case errs.CodeOf(err) == errs.BadUserInput:
			log.Info("texts are imported without compression", "why", err)
			return nil
		case err != nil:
			return err
		}
		log.Info("made a dictionary from the comments' texts: new comments are compressed with it",
			"version", trained.Version, "comments", len(words), "share", trained.Share)
		return nil
	}, nil
}

// keepDictionaries loads the table's dictionaries and then every new one, so that no page has to
// wait for one, until stop is called. The server is not ready until they are loaded for the first
// time.
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
		if err != nil { // the server works without it
			log.Error("a dictionary is missing: comments that were compressed with it cannot be read", "error", err)
		}
		loaded = true
		return nil
	}
	if err := load(ctx); err != nil {
		log.Warn("the dictionaries for compressed texts are not loaded yet", "error", err)
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
