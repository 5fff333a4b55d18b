package httpapi

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/answer"
	"product-comments/store/errs"
)

// mostErrors is how many errors of its fields an answer has at the most.
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
	why := errs.Exceeds("errors", all, mostErrors, "The answer has %d errors, of which it tells the first %d")
	e := &gqlerror.Error{Message: why.Sentence(), Extensions: why.Extensions()}
	e.Extensions["code"] = of.last.Extensions["code"]
	return gqlerror.List{e}
}
