package command

import (
	"context"
	"os"

	"product-comments/internal/lambda"
	"product-comments/store"
)

// Set where AWS Lambda runs the binary, without arguments: the address of its
// runtime, and the function's handler, by which it says what it is to be.
const (
	lambdaRuntimeEnv = "AWS_LAMBDA_RUNTIME_API"
	lambdaHandlerEnv = "_HANDLER"
	lambdaServes     = "serve"
)

func onLambda() bool { return os.Getenv(lambdaRuntimeEnv) != "" }

type lambdaHandler struct {
	storeFlags
}

// Run projects the stream's records that Lambda hands over.
func (l *lambdaHandler) Run(ctx context.Context) (err error) {
	log := l.logger()
	// Nothing here runs between two invocations that could write a place which is
	// due, so places are written with every change.
	opened, err := l.openWith(ctx, log, store.Options{PlaceAge: -1})
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	lambda.Start(ctx, lambda.New(opened.Projector(), log))
	return nil
}

// arguments are those of the command line, or in Lambda the command that is
// meant there: serve for a function of that handler, else lambda.
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
