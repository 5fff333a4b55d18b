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
}

// Run projects the stream records that Lambda delivers or, with the handler webhooks, sends webhooks
// with each invocation.
func (l *lambdaCmd) Run(ctx context.Context) (err error) {
	log := l.logger()
	// Nothing runs between two invocations that could write delayed leaderboard entries, so they
	// are written with every change.
	options := store.Options{PlaceAge: -1}
	sends := os.Getenv(lambdaHandlerEnv) == lambdaSends
	if sends {
		secrets, err := l.need(&l.storeFlags)
		if err == nil {
			options.Keys, err = sealed.NewSet(secrets...)
		}
		if err != nil {
			return err
		}
	}
	opened, err := l.open(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if sends {
		lambda.Start(ctx, lambda.Drain(sender(opened, false, log, nil).Drain))
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
