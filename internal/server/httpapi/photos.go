package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/photos"
	"product-comments/resolvers"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// handlePhotos serves photos, and receives them.
func (s *server) handlePhotos(mux *http.ServeMux, resolver *resolvers.Resolver) {
	if s.Photos == nil {
		return
	}
	h := photos.New(*s.Photos, uploads{s, resolver})
	mux.Handle(photo.Path, s.chain(s.answering(h.Upload), s.crossOrigin, noStore, onlyPost, s.rejectOtherSites, s.authenticate,
		s.admission.Rate, s.admission.Upload(photos.MaxBody)))
	mux.Handle("GET "+photo.Path+"/{id}/{width}", s.chain(s.answering(h.Show), s.admission.Rate))
}

// uploads are what the handler of photos needs of the server.
type uploads struct {
	*server
	resolver *resolvers.Resolver
}

// Uploader implements photos.Server.
func (u uploads) Uploader(r *http.Request) (string, error) {
	return u.resolver.Uploader(r.Context(), r.URL.Query().Get("invitation"))
}

// Uploaded implements photos.Server.
func (u uploads) Uploaded(ctx context.Context, busy time.Duration) { u.admission.Uploaded(ctx, busy) }

// onlyPost is the step that answers other methods than POST with 405.
func onlyPost(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "send a photo with POST", http.StatusMethodNotAllowed)
		return nil
	}
	next.ServeHTTP(w, r)
	return nil
}

// rejectOtherSites refuses uploads from pages of other sites, which may send a form without asking:
// a server without authentication takes photos from everyone.
func (s *server) rejectOtherSites(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	if s.fromOtherSite(r) {
		return admission.Refused(http.StatusForbidden, "csrf", "The browser reports that a page of another site sends this photo: name the site with --origins")
	}
	next.ServeHTTP(w, r)
	return nil
}

// statuses are the statuses of answers by the code of their error.
var statuses = map[errs.Code]int{
	errs.BadUserInput: http.StatusBadRequest, errs.NotFound: http.StatusNotFound, errs.Conflict: http.StatusConflict,
	errs.Unauthenticated: http.StatusUnauthorized, errs.Forbidden: http.StatusForbidden,
	errs.Unavailable: http.StatusServiceUnavailable, errs.RateLimited: http.StatusTooManyRequests,
}

// answering returns a handler that answers with the error of a function.
func (s *server) answering(do func(http.ResponseWriter, *http.Request) error) http.Handler {
	return s.chain(nil, func(w http.ResponseWriter, r *http.Request, _ http.Handler) error {
		err := do(w, r)
		var rejected *admission.Rejection
		var cut photos.CutOff
		var coded *errs.Error
		switch {
		case err == nil, errors.As(err, &rejected):
			return err
		case errors.As(err, &cut):
			w.Header().Set("Connection", "close") // the rest of the body is not read
			return s.admission.CutOff(r, cut)
		case errors.As(err, &coded) && statuses[coded.Code] != 0:
			if coded.Code == errs.Unavailable && r.Context().Err() == nil {
				s.Log.WarnContext(r.Context(), "unavailable", "error", err.Error(), "path", photo.Path)
			}
			return &admission.Rejection{Status: statuses[coded.Code], Why: coded}
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return admission.RetryLater(http.StatusServiceUnavailable, errs.Unavailable, "left", time.Second,
				"The request exceeded its time limit and was stopped, try again")
		}
		id := ulid.Make().String()
		s.Log.ErrorContext(r.Context(), "internal error", "error_id", id, "error", err.Error(), "path", photo.Path)
		return &admission.Rejection{Status: http.StatusInternalServerError, Why: errs.Errorf(errs.Internal, "Internal error %s", id)}
	})
}
