package httpapi

import (
	"net/http"
	"strconv"

	"product-comments/graph"
	"product-comments/graph/document"
	"product-comments/internal/static"
	"product-comments/store/errs"
)

const pathSchema = "/schema.graphql"

// schemaMedia makes browsers show the schema; its language has no registered media type.
const schemaMedia = "text/plain; charset=utf-8"

// schema returns the handler of the schema as a file for tools, which is compressed once. It answers
// nothing if introspection is disabled.
func (s *server) schema() http.Handler {
	sdl := []byte(graph.SDL())
	zipped, etag := gzipped(sdl), entityTag(schemaMedia, sdl)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.NoIntrospection {
			s.reject(w, r, &rejection{http.StatusForbidden, errs.Refuse(errs.Forbidden, document.NoIntrospection, "Introspection is disabled on this server")})
			return
		}
		h := w.Header()
		h.Set("Cache-Control", static.Revalidated)
		h.Set("Etag", etag)
		h.Add("Vary", "Accept-Encoding")
		if notModified(r.Header["If-None-Match"], etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		file := sdl
		if acceptsGzip(r.Header["Accept-Encoding"]) {
			file = zipped
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Type", schemaMedia)
		h.Set("Content-Length", strconv.Itoa(len(file)))
		_, _ = w.Write(file) // an error means that the client is gone
	})
}
