package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/rs/cors"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/photos"
	"product-comments/internal/server/signin"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/server/visitor"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/internal/site/static"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/errs"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
)

// Config configures a service.
type Config struct {
	Store   *store.Store
	Cursors *cursor.Codec
	// Invitations seals the tokens of invitations.
	Invitations *invitations.Codec
	// PhotoURL returns the address of a photo, see resolvers.Resolver; nil without photos.
	PhotoURL func(id string, rendition int, published bool) string
	Log      *slog.Logger
	// Limits bound the load that one request, one client and all requests may cause.
	Limits admission.Limits
	// Origins are other sites whose pages may call the API, as rs/cors matches them: in lower case,
	// with at most one *.
	Origins []string
	// AllowHeaders are additional headers that pages of these origins may send.
	AllowHeaders []string
	// CacheMaxAge is how long browsers and proxies may reuse an answer, in whole seconds. Below one
	// second they may not.
	CacheMaxAge time.Duration
	Rules       access.Rules
	// OnePerAuthor allows each author one comment per product.
	OnePerAuthor bool
	// Auth verifies tokens; nil for a server without authentication.
	Auth *auth.Authenticator
	// Visitors identifies visitors without a token, so that they may vote; nil if they may not.
	Visitors *visitor.Codec
	// PlaygroundTokens are the preset tokens of the playground, by role. Anyone who opens the
	// playground sees them, unless a proxy forwards the request. Tabs use the author's token unless
	// they name another role. Tabs without their token are omitted.
	PlaygroundTokens map[access.Role]string
	// Manifest holds documents that clients can name by id or hash. Clients can register others,
	// unless ManifestOnly is set.
	Manifest     Manifest
	ManifestOnly bool
	// NoIntrospection disables introspection.
	NoIntrospection bool
	// Projector returns the status of this process's projector; nil if it runs none.
	Projector func() stream.Status
	// Elsewhere describes for operators whether a projector runs in another process; may be nil.
	Elsewhere func(context.Context) string
	// Filling describes for operators the indexes that are being built, one per line; may be nil.
	Filling func(context.Context) string
	// Ready checks that the table answers; nil is Store.Ready. With separate connections the check
	// does not wait behind the requests of a busy server.
	Ready func(context.Context) error
	// Telemetry receives events, and should also be the store's observer; nil creates one.
	Telemetry *telemetry.Telemetry
	// NoPlayground serves nothing at /. ManifestOnly does the same, with a page that explains it.
	NoPlayground bool
	// Shop is served at /, and moves the playground to /playground; nil for none. New sets its
	// service and tokens.
	Shop *shop.Shop
	// Reviews are the options of sections, apart from API; nil serves none.
	Reviews *reviews.Options
	// Photos keep the photos of comments; nil serves none.
	Photos *photos.Options
	// Staff says how the staff signs in to the desk. New sets what the server itself has; nil serves no
	// desk.
	Staff *signin.Options
}

// server implements a Config. Its methods with the signature of step are steps of a request.
type server struct {
	Config
	admission *admission.Admission
	named     *cors.Cors // for the origins that name sites
	all       *cors.Cors // for all origins
	public    string     // Cache-Control of answers that shared caches may store; empty for none
}

// newServer returns a server that refuses and logs requests.
func newServer(c Config) *server {
	return &server{Config: c, admission: admission.New(c.Limits, c.Log), public: public(c.CacheMaxAge)}
}

// step is a part of a request's processing: it answers the request, calls next, or returns a
// *admission.Rejection, with which the server answers.
type step func(w http.ResponseWriter, r *http.Request, next http.Handler) error

// chain returns a handler that passes requests through steps, in order, to last.
func (s *server) chain(last http.Handler, steps ...step) http.Handler {
	for _, one := range slices.Backward(steps) {
		next := last
		last = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := one(w, r, next); err != nil {
				s.reject(w, r, err)
			}
		})
	}
	return last
}

// reject answers a request that is not executed. Every rejection passes it.
func (s *server) reject(w http.ResponseWriter, r *http.Request, err error) {
	var rejected *admission.Rejection
	if !errors.As(err, &rejected) {
		rejected = &admission.Rejection{Status: http.StatusInternalServerError,
			Why: errs.Errorf(errs.Internal, "the request could not be read")}
	}
	extensions := rejected.Why.Extensions()
	if after := rejected.Why.RetryAfter; after > 0 {
		seconds := int(math.Ceil(after.Seconds()))
		extensions["retryAfter"] = seconds
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.Header().Set("Cache-Control", notStored)
	mediaType := accepted(r.Header["Accept"])
	s.write(w, cmp.Or(rejected.Status, refusal(mediaType)), mediaType, &graphql.Response{Errors: gqlerror.List{{
		Message: rejected.Why.Sentence(), Extensions: extensions,
	}}}, nil)
}

// oneWrite is the maximum of bytes of an answer that is copied to be sent at once: net/http sends
// each part of more than 4 KB by itself.
const oneWrite = 64 << 10

// write sends a response. If nothing was executed there are no data, and cost is nil.
func (s *server) write(
	w http.ResponseWriter, status int, mediaType string, response *graphql.Response, cost *admission.Cost,
) {
	parts := s.encode(w, mediaType, response, cost)
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	if length <= oneWrite {
		parts = [][]byte{bytes.Join(parts, nil)}
	}
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(status)
	for _, part := range parts {
		_, _ = w.Write(part) // an error means that the client is gone
	}
}

// encode returns the JSON of a response in parts, because its data are JSON already and may be
// megabytes. It sets the media type and counts the reasons of errors. The cost is the only
// extension, because no handler extension that is used here adds one.
func (s *server) encode(w http.ResponseWriter, mediaType string, response *graphql.Response, cost *admission.Cost) (parts [][]byte) {
	s.countReasons(response.Errors)
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	member := func(name string, value any) {
		text, ok := value.(json.RawMessage)
		if !ok {
			text, _ = json.Marshal(value) // cannot fail for strings, numbers and lists
		}
		before := ","
		if parts == nil {
			before = "{"
		}
		parts = append(parts, []byte(before+name+":"), text)
	}
	if len(response.Errors) > 0 {
		member(`"errors"`, response.Errors)
	}
	if response.Data != nil {
		member(`"data"`, response.Data)
	}
	if cost != nil {
		member(`"extensions"`, map[string]any{"cost": cost})
	}
	return append(parts, []byte("}"))
}

// reasonOfCode has the reasons of refusals by code, for errors without a reason of their own.
var reasonOfCode = map[string]string{
	string(errs.BadUserInput):    "bad_user_input",
	string(errs.Unauthenticated): "unauthenticated",
	string(errs.Forbidden):       "forbidden",
}

// countReasons counts the reason of each error that refuses a request.
func (s *server) countReasons(all gqlerror.List) {
	if s.Telemetry == nil {
		return
	}
	for _, e := range all {
		reason, ok := e.Extensions["reason"].(string)
		if !ok {
			code, _ := e.Extensions["code"].(string)
			reason = reasonOfCode[code]
		}
		if reason != "" {
			s.Telemetry.Refused(reason)
		}
	}
}

const (
	legacyJSON   = "application/json"
	responseJSON = "application/graphql-response+json"
)

// refusal returns the status of an answer to a GraphQL request that was not executed.
func refusal(mediaType string) int {
	if mediaType == responseJSON {
		return http.StatusBadRequest
	}
	return http.StatusOK // legacy clients expect 200 for every GraphQL answer
}

// accepted returns the media type of the response that the client prefers. It returns
// application/json without a preference, or if the client accepts no media type of GraphQL.
func accepted(accept []string) string {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == legacyJSON) { // the common case
		return legacyJSON
	}
	best, most := legacyJSON, 0.0
	for mediaType, weight := range static.Weights(accept) {
		switch mediaType {
		case "*/*", "application/*":
			mediaType = legacyJSON
		case legacyJSON, responseJSON:
		default:
			continue
		}
		if weight > most {
			best, most = mediaType, weight
		}
	}
	return best
}
