package command

import (
	"context"
	"os"

	"product-comments/internal/lambda"
)

// lambdaRuntimeEnv is set where AWS Lambda runs the binary, without arguments.
const lambdaRuntimeEnv = "AWS_LAMBDA_RUNTIME_API"

type lambdaHandler struct {
	storeFlags
}

// Run projects the stream's records that Lambda hands over.
func (l *lambdaHandler) Run(ctx context.Context) (err error) {
	log := l.logger()
	opened, err := l.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	lambda.Start(ctx, lambda.New(opened.Store, log))
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
