package httpapi

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// watchOperation tells telemetry of an operation that is about to run. A document that
// gets here is valid and within its limits.
func (s *server) watchOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	s.Telemetry.Past(ctx, "parse and validate", graphql.GetOperationContext(ctx).Stats.OperationStart)
	return next(ctx)
}

// watchResponse tells telemetry of every document, whether it was executed or refused.
func (s *server) watchResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	var op *graphql.OperationContext
	if graphql.HasOperationContext(ctx) {
		op = graphql.GetOperationContext(ctx)
	}
	if op == nil || op.Operation == nil {
		response := next(ctx)
		began := graphql.GetStartTime(ctx)
		s.Telemetry.Past(ctx, "parse and validate", began)
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

// firstCode returns the code of a response's first error, "" if it has none.
func firstCode(response *graphql.Response) string {
	if response == nil || len(response.Errors) == 0 {
		return ""
	}
	if code, ok := response.Errors[0].Extensions["code"].(string); ok {
		return code
	}
	return "OTHER"
}

// unspoken are the reasons of refusals that name none: the code says all.
var unspoken = map[string]string{
	string(errs.BadUserInput):    "bad_user_input",
	string(errs.Unauthenticated): "unauthenticated",
	string(errs.Forbidden):       "forbidden",
}

// tellReasons tells the reason of each error that refuses something to a client.
func (s *server) tellReasons(all gqlerror.List) {
	if s.tell == nil {
		return
	}
	for _, e := range all {
		reason, ok := e.Extensions["reason"].(string)
		if !ok {
			code, _ := e.Extensions["code"].(string)
			reason = unspoken[code]
		}
		if reason != "" {
			s.tell(reason)
		}
	}
}
