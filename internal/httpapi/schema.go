package httpapi

import (
	"net/http"
	"time"

	"product-comments/graph"
	"product-comments/graph/document"
	"product-comments/store/errs"
)

const pathSchema = "/schema.graphql"

// schemaMedia makes browsers show the schema; its language has no registered media type.
const schemaMedia = "text/plain; charset=utf-8"

// schema returns the handler of the schema as a file for tools. It answers nothing if
// introspection is disabled.
func (s *server) schema() http.Handler {
	sdl := graph.SDL()
	const revalidated = "no-cache"
	file := newCachedAnswer(&bufferedAnswer{http.StatusOK, http.Header{
		"Content-Type": {schemaMedia}, "Cache-Control": {revalidated}, "Etag": {entityTag(schemaMedia, []byte(sdl))},
	}, []byte(sdl)}, revalidated, time.Time{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.NoIntrospection {
			s.reject(w, r, &rejection{http.StatusForbidden, errs.Refuse(errs.Forbidden, document.NoIntrospection, "Introspection is disabled on this server")})
			return
		}
		file.serve(w, r)
	})
}
