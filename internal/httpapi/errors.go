package httpapi

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// onceEach leaves one error of those that an argument causes again for each object
// that it is an argument of, such as a wrong language for each of a page's labels: what
// is wrong in one place of the request is told once, where it was met first.
func onceEach(response *graphql.Response) {
	type mistake struct {
		gqlerror.Location
		message string
	}
	seen := map[mistake]bool{}
	kept := response.Errors[:0]
	for _, e := range response.Errors {
		if e.Extensions["code"] == string(errs.BadUserInput) && len(e.Locations) == 1 {
			m := mistake{e.Locations[0], e.Message}
			if seen[m] {
				continue
			}
			seen[m] = true
		}
		kept = append(kept, e)
	}
	response.Errors = kept
}
