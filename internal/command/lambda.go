package command

import (
	"context"
	"os"

	"product-comments/internal/lambda"
	"product-comments/store"
)

// lambdaRuntimeEnv is set where AWS Lambda runs the binary, without arguments.
const lambdaRuntimeEnv = "AWS_LAMBDA_RUNTIME_API"

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
// meant there.
func arguments() []string {
	if len(os.Args) == 1 && os.Getenv(lambdaRuntimeEnv) != "" {
		return []string{"lambda"}
	}
	return os.Args[1:]
}
