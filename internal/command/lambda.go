package command

import (
	"context"
	"errors"
	"os"

	"product-comments/internal/lambda"
	"product-comments/store"
	"product-comments/store/key/sealed"
)

// Environment variables of AWS Lambda: the address of the runtime, and the function's handler,
// which selects the command.
const (
	lambdaRuntimeEnv = "AWS_LAMBDA_RUNTIME_API"
	lambdaHandlerEnv = "_HANDLER"
	lambdaServes     = "serve"
	lambdaSends      = "webhooks"
)

func onLambda() bool { return os.Getenv(lambdaRuntimeEnv) != "" }

type lambdaCmd struct {
	storeFlags
	keyFlags
	requestFlags
	linkFlags
	photoFlags
}

// Run projects the stream records that Lambda delivers or, with the handler webhooks, sends webhooks
// and mails with each invocation.
func (l *lambdaCmd) Run(ctx context.Context) (err error) {
	log := l.logger()
	// Nothing runs between two invocations that could write delayed leaderboard entries, so they
	// are written with every change.
	options := store.Options{PlaceAge: -1}
	var secrets [][]byte
	sends := os.Getenv(lambdaHandlerEnv) == lambdaSends
	if sends {
		if secrets, err = l.need(&l.storeFlags); err == nil {
			options.Keys, err = sealed.NewSet(secrets...)
		}
		if err != nil {
			return err
		}
	}
	closePhotos, err := l.deletes(ctx, &l.storeFlags, &options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closePhotos()) }()
	opened, err := l.open(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if sends {
		asks, err := l.askingBy(opened, secrets, l.linkFlags, log)
		if err != nil {
			return err
		}
		defer asks.close()
		hooks := sender(opened, false, asks, log, nil)
		lambda.Start(ctx, lambda.Drain(func(ctx context.Context) error {
			if asks.asks { // mails first: their events leave at once
				if err := asks.Drain(ctx); err != nil {
					log.Warn("review requests are delayed", "error", err)
				}
			}
			return hooks.Drain(ctx)
		}))
		return nil
	}
	lambda.Start(ctx, lambda.New(opened.Projector(), log).Handle)
	return nil
}

// arguments returns the command line. On Lambda it is the command that the handler selects: serve
// for the handler serve, else lambda.
func arguments() []string {
	switch {
	case len(os.Args) > 1 || !onLambda():
		return os.Args[1:]
	case os.Getenv(lambdaHandlerEnv) == lambdaServes:
		return []string{"serve"}
	default:
		return []string{"lambda"}
	}
}
