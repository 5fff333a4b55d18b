package lambda

import (
	"context"

	awslambda "github.com/aws/aws-lambda-go/lambda"
)

// Start takes events from Lambda's runtime until the context ends, which also
// ends an invocation that is under way. It asks Lambda to send SIGTERM before
// an instance is stopped; without that it is killed at once. Outside Lambda,
// or if the runtime fails, it ends the process.
func Start(ctx context.Context, h *Handler) {
	// The runtime's loop never returns: it waits for the next event for good.
	go awslambda.StartWithOptions(h.Handle, awslambda.WithContext(ctx), awslambda.WithEnableSIGTERM())
	<-ctx.Done()
}
