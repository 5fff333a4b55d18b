package command

import (
	"context"
	"log/slog"
	"sync"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/pack"
	"product-comments/store/packing"
)

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
