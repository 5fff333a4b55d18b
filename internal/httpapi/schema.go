package httpapi

import (
	"io"
	"net/http"

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
	etag := entityTag(schemaMedia, []byte(sdl))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.NoIntrospection {
			s.reject(w, r, &rejection{http.StatusForbidden, errs.Refuse(errs.Forbidden, document.NoIntrospection, "Introspection is disabled on this server")})
			return
		}
		h := w.Header()
		h.Set("Content-Type", schemaMedia)
		h.Set("Cache-Control", "no-cache") // caches must revalidate
		h.Set("Etag", etag)
		if notModified(r.Header["If-None-Match"], etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, sdl) // an error means that the client is gone
	})
}
