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

// mostErrors is how many errors of its fields an answer has at most.
const mostErrors = 200

// fieldErrors are the errors of one answer, while it is made: the first ones, and how
// many are left out. What an argument causes again for each object that it is an
// argument of, such as a wrong language for each of a page's labels, is wrong in one
// place of the request, and told once, where it was met first.
type fieldErrors struct {
	mu       sync.Mutex
	mistakes map[mistake]bool
	last     *gqlerror.Error // of those that are told
	told     int
	left     int
}

type mistake struct {
	gqlerror.Location
	message string
}

type errorsKey struct{}

// withErrors returns a context whose answer has a bounded number of errors; nil bounds
// nothing.
func withErrors(ctx context.Context, e *fieldErrors) context.Context {
	return context.WithValue(ctx, errorsKey{}, e)
}

// boundErrors makes a presenter present nothing of the errors that are not told.
func boundErrors(present graphql.ErrorPresenterFunc) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		answer.Of(ctx).Take(answer.ErrorSteps)
		of, _ := ctx.Value(errorsKey{}).(*fieldErrors)
		if of == nil {
			return present(ctx, err)
		}
		of.mu.Lock()
		defer of.mu.Unlock()
		if errs.CodeOf(err) == errs.BadUserInput {
			e := present(ctx, err)
			if of.met(e) {
				return nil
			}
			return of.add(e)
		}
		if of.told >= mostErrors { // and nothing is logged
			return of.add(nil)
		}
		return of.add(present(ctx, err))
	}
}

// met reports whether a mistake was met before.
func (of *fieldErrors) met(e *gqlerror.Error) bool {
	if len(e.Locations) != 1 {
		return false
	}
	m := mistake{e.Locations[0], e.Message}
	if of.mistakes[m] {
		return true
	}
	if of.told < mostErrors {
		if of.mistakes == nil {
			of.mistakes = map[mistake]bool{}
		}
		of.mistakes[m] = true
	}
	return false
}

// add returns an error if there is room for it.
func (of *fieldErrors) add(e *gqlerror.Error) *gqlerror.Error {
	if of.told >= mostErrors {
		of.left++
		return nil
	}
	of.told++
	of.last = e
	return e
}

// leftOut returns an error that says how many are left out, with the code of the last
// one that is told; nil if none are.
func (of *fieldErrors) leftOut() gqlerror.List {
	if of.left == 0 {
		return nil
	}
	all := int64(of.told + of.left)
	why := errs.Exceeds("errors", all, mostErrors, "The answer has %d errors, of which it lists the first %d")
	e := &gqlerror.Error{Message: why.Sentence(), Extensions: why.Extensions()}
	e.Extensions["code"] = of.last.Extensions["code"]
	return gqlerror.List{e}
}

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
