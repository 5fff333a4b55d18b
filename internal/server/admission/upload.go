package admission

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// UploadTime is how long an upload may take, with its answer: a photo of 5 MB over a slow telephone
// takes half of it.
const UploadTime = 2 * time.Minute

const uploadTenth = 100 * time.Millisecond // of a processor, for a unit of the budget of uploads

// Upload returns the stage of an upload of at most so many bytes, which the handler reads: it
// replaces Body. It limits the time, charges for an upload, and reserves memory for its bytes, which
// may arrive slowly.
func (a *Admission) Upload(most int64) func(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) error {
		v, size := Of(r.Context()), r.ContentLength
		if size > most {
			w.Header().Set("Connection", "close") // the body is not read
			return bodyTooLarge(size, most)
		}
		if size < 0 {
			size = most
		}
		var ok bool
		if v.upload, ok = a.UploadBudget.Reserve(v.key, 1, 1); !ok {
			return rateLimited("uploads", "uploads and tenths of seconds for them", a.UploadBudget.Peek(v.key, 1))
		}
		defer v.upload.Settle(1) // unless it was processed
		ctx, cancel := context.WithTimeout(r.Context(), UploadTime)
		defer cancel()
		memory, err := a.Uploads.Enter(ctx, a.share(v), size, false)
		switch {
		case errors.Is(err, ErrShare):
			return shareUsed("uploads", a.Uploads, "Your uploads under way exceed %d bytes together, the limit: try again when some of them are answered")
		case err != nil:
			return noMemory(err)
		}
		defer memory.Leave()
		// The server's own limits are for small bodies. A connection without deadlines is Lambda's.
		c, until := http.NewResponseController(w), time.Now().Add(UploadTime)
		_, _ = c.SetReadDeadline(until), c.SetWriteDeadline(until)
		r = r.WithContext(v.in(ctx))
		r.Body = http.MaxBytesReader(w, r.Body, most)
		next.ServeHTTP(w, r)
		return nil
	}
}

// Uploaded charges for the processing of an upload.
func (a *Admission) Uploaded(ctx context.Context, busy time.Duration) {
	Of(ctx).upload.Settle(1 + float64(busy)/float64(uploadTenth))
}

// CutOff returns the error of an upload that was not read to its end.
func (a *Admission) CutOff(r *http.Request, err error) error {
	return cutOff(err, r.ContentLength, UploadTime)
}
