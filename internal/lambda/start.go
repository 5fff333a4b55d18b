package lambda

import (
	"context"

	awslambda "github.com/aws/aws-lambda-go/lambda"
)

// Start takes events from Lambda's runtime until the context ends, which also
// ends an invocation that is under way. It asks Lambda to send SIGTERM before
// an instance is stopped; without that it is killed at once. Outside Lambda,
// or if the runtime fails, it ends the process.
func Start(ctx context.Context, h *Handler) { start(ctx, h.Handle) }

// Serve is Start for requests instead of a stream's records.
func Serve(ctx context.Context, w *Web) { start(ctx, w.Handle) }

func start(ctx context.Context, handle any) {
	// The runtime's loop never returns: it waits for the next event for good.
	go awslambda.StartWithOptions(handle, awslambda.WithContext(ctx), awslambda.WithEnableSIGTERM())
	<-ctx.Done()
}
