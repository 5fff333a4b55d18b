package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/answer"
	"product-comments/store/errs"
)

// maxErrors is the maximum of field errors in an answer.
const maxErrors = 200

// fieldErrors collects the errors of one answer: the first ones, and the number of others. Also an
// error that repeats another one is reported, because a client takes null without an error for no
// value.
type fieldErrors struct {
	mu       sync.Mutex
	last     *gqlerror.Error // of the reported errors
	reported int
	left     int
}

type errorsKey struct{}

// withErrors returns a context that limits the number of errors in the answer; nil sets no limit.
func withErrors(ctx context.Context, e *fieldErrors) context.Context {
	return context.WithValue(ctx, errorsKey{}, e)
}

// boundErrors returns a presenter that presents only the errors within the limit.
func boundErrors(present graphql.ErrorPresenterFunc) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		answer.FromContext(ctx).AddSteps(answer.ErrorSteps)
		of, _ := ctx.Value(errorsKey{}).(*fieldErrors)
		if of == nil {
			return present(ctx, err)
		}
		of.mu.Lock()
		defer of.mu.Unlock()
		if of.reported >= maxErrors { // without logging it
			of.left++
			return nil
		}
		of.reported++
		of.last = present(ctx, err)
		return of.last
	}
}

// leftOut returns an error with the number of errors that were left out and the code of the last
// reported one; nil if there are none.
func (of *fieldErrors) leftOut() gqlerror.List {
	if of.left == 0 {
		return nil
	}
	all := int64(of.reported + of.left)
	why := errs.Exceeds("errors", all, maxErrors, "The answer has %d errors, of which it lists the first %d")
	e := &gqlerror.Error{Message: why.Sentence(), Extensions: why.Extensions()}
	e.Extensions["code"] = of.last.Extensions["code"]
	return gqlerror.List{e}
}

// watchOperation informs telemetry of an operation that is about to run. Its document is valid and
// within the limits.
func (s *server) watchOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	s.Telemetry.RecordSpan(ctx, "parse and validate", graphql.GetOperationContext(ctx).Stats.OperationStart)
	return next(ctx)
}

// watchResponse informs telemetry of every response, executed or refused.
func (s *server) watchResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	var op *graphql.OperationContext
	if graphql.HasOperationContext(ctx) {
		op = graphql.GetOperationContext(ctx)
	}
	if op == nil || op.Operation == nil {
		response := next(ctx)
		began := graphql.GetStartTime(ctx)
		s.Telemetry.RecordSpan(ctx, "parse and validate", began)
		s.Telemetry.NoOperation(firstCode(response), time.Since(began))
		return response
	}
	ctx, span := s.Telemetry.BeginSpan(ctx, "execute")
	response := next(ctx)
	span.Done(op.Operation.Name, string(op.Operation.Operation), response == nil || len(response.Errors) > 0)
	s.Telemetry.Operation(op.Operation.Name, firstCode(response), time.Since(op.Stats.OperationStart))
	if op.Operation.Operation == ast.Mutation {
		s.Telemetry.Mutated(firstCode(response))
	}
	return response
}

// firstCode returns the code of a response's first error, empty for none.
func firstCode(response *graphql.Response) string {
	if response == nil || len(response.Errors) == 0 {
		return ""
	}
	if code, ok := response.Errors[0].Extensions["code"].(string); ok {
		return code
	}
	return "OTHER"
}
