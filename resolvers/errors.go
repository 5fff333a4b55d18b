package resolvers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/oklog/ulid/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/globalid"
	"product-comments/store/errs"
)

func init() {
	// A request that is refused before execution is a client error in HTTP, too.
	errcode.RegisterErrorType(string(errs.BadUserInput), errcode.KindProtocol)
}

// PresentError converts all errors to GraphQL errors. An error with a code is shown with its code
// and message. Any other error is logged with an id, and the client sees only the id.
func PresentError(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		out := graphql.DefaultErrorPresenter(ctx, err)
		var coded *errs.Error
		switch {
		case errors.As(err, &coded) && coded.Code != errs.Internal:
			out.Message = coded.Sentence()
			out.Extensions = coded.Extensions()
			if coded.Code == errs.Unavailable || coded.RetryAfter > 0 {
				out.Extensions["retryAfter"] = retryAfter(coded.RetryAfter)
			}
			if coded.Code == errs.Unavailable {
				warnUnavailable(ctx, log, coded, out.Path)
			}
			if coded.CommentID != "" {
				out.Extensions["commentId"] = globalid.Of(globalid.Comment, coded.CommentID)
			}
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
			out.Message = "The request exceeded its time limit and was stopped, try again"
			out.Extensions = map[string]any{"code": string(errs.Unavailable), "retryAfter": retryAfter(0)}
		case out.Extensions["code"] != nil: // an error of gqlgen or graph/document
			if out.Extensions["reason"] == nil {
				out.Extensions["reason"] = "not_valid"
			}
		default:
			id := ulid.Make().String()
			said := err.Error()
			if coded != nil { // gqlgen's error lacks the causes
				said = coded.Error()
			}
			log.ErrorContext(ctx, "internal error", "error_id", id, "error", said, "path", out.Path.String())
			out.Message = fmt.Sprintf("Internal error %s", id)
			out.Extensions = map[string]any{"code": string(errs.Internal), "id": id}
		}
		if len(out.Message) > longestMessage {
			out.Message = strings.ToValidUTF8(out.Message[:longestMessage], "") + "…"
		}
		return out
	}
}

// warnUnavailable logs why a field is null, once per request, because the store usually fails for
// all of a page's fields together.
func warnUnavailable(ctx context.Context, log *slog.Logger, why *errs.Error, at ast.Path) {
	if errors.Is(ctx.Err(), context.Canceled) { // a client that disconnected does not show a problem of the store
		return
	}
	if of, ok := ctx.Value(loadersKey{}).(*loaders); !ok || !of.warned.Swap(true) {
		log.WarnContext(ctx, "unavailable", "error", why.Error(), "path", at.String())
	}
}

// retryAfter returns the seconds of the header Retry-After: whole seconds, at least one.
func retryAfter(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// longestMessage limits messages that repeat input of the client.
const longestMessage = 1000 // bytes

// Recover turns a panic into an internal error and logs its stack, once per request, because a
// panic in a list usually occurs for each element.
func Recover(log *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, panicked any) error {
		if of, ok := ctx.Value(loadersKey{}).(*loaders); !ok || !of.panicked.Swap(true) {
			log.ErrorContext(ctx, "panic", "value", fmt.Sprint(panicked), "stack", string(debug.Stack()))
		}
		return errs.Errorf(errs.Internal, "panic: %v", panicked)
	}
}

// splitErrors reports several errors as separate errors of the answer, so that a form can show each
// next to its field. gqlgen recognizes lists of its own type only, and sets the location of the
// first error only.
func splitErrors(ctx context.Context, err error) error {
	var several errs.List
	if err == nil || !errors.As(err, &several) {
		return err
	}
	list := make(gqlerror.List, len(several))
	for i, e := range several {
		list[i] = gqlerror.WrapPath(graphql.GetPath(ctx), e)
		_ = graphql.AddFieldLocationToError(ctx, list[i])
	}
	return list
}
