package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"product-comments/internal/gate"
	"product-comments/store/errs"
)

// reservations are the capacity that a request has reserved in bounded rooms, as functions that
// release it.
type reservations []func()

// add adds a reservation, given the results of Enter.
func (all *reservations) add(leave func(), err error) error {
	if err == nil {
		*all = append(*all, leave)
	}
	return err
}

func (all *reservations) release() {
	for _, leave := range *all {
		leave()
	}
}

type slotKey struct{}

// waitForSlot is the step that limits concurrent requests. It reads the body first, because a
// client may be slow to send it. The answer is sent after leaveSlot, because a client may be slow
// to read it.
func (s *server) waitForSlot(w http.ResponseWriter, r *http.Request, next http.Handler) {
	var memory reservations
	defer memory.release()
	if err := s.readWhole(w, r, &memory); err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		s.reject(w, r, s.bodyError(err))
		return
	}
	leave, err := s.Gate.Slots.Enter(r.Context(), 1)
	if err != nil {
		s.reject(w, r, overloaded(err))
		return
	}
	defer leave()
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), slotKey{}, leave)))
}

// leaveSlot releases the request's slot.
func leaveSlot(ctx context.Context) {
	if leave, ok := ctx.Value(slotKey{}).(func()); ok {
		leave()
	}
}

// A body is read in pieces. The first piece reserves no memory: nearly all bodies are smaller, and
// the number of connections bounds them. Each further piece reserves memory before it is read, and
// has a deadline.
const (
	bodyPiece     = 16 << 10 // bytes
	bodyPieceTime = 5 * time.Second
)

// readWhole reads a request's body into memory, within the memory limit and the deadlines. It
// leaves other errors of the body to the next reader.
func (s *server) readWhole(w http.ResponseWriter, r *http.Request, memory *reservations) error {
	client := accountOf(r.Context()).key
	var pieces []io.Reader
	for {
		piece := &bytes.Buffer{}
		if len(pieces) > 0 {
			if err := memory.add(s.Gate.Bodies.Enter(r.Context(), client, bodyPiece)); err != nil {
				return err
			}
			piece = bytes.NewBuffer(make([]byte, 0, bodyPiece+bytes.MinRead)) // ReadFrom needs MinRead bytes to detect the end
			setReadDeadline(w, r)
		}
		pieces = append(pieces, piece)
		_, err := io.CopyN(piece, r.Body, bodyPiece)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return err
		case err != nil:
			r.Body = io.NopCloser(io.MultiReader(append(pieces, errReader{err})...))
			return nil
		}
	}
}

// errReader returns the error that ended the reading of a body, usually io.EOF.
type errReader struct{ error }

func (e errReader) Read([]byte) (int, error) { return 0, e.error }

// setReadDeadline sets the deadline of the next piece, at most that of the request. The server
// resets it at the end of the body.
func setReadDeadline(w http.ResponseWriter, r *http.Request) {
	due := time.Now().Add(bodyPieceTime)
	if end, ok := r.Context().Deadline(); ok && due.After(end.Add(SendTime)) {
		due = end.Add(SendTime)
	}
	_ = http.NewResponseController(w).SetReadDeadline(due) // a test's writer does not support it
}

// bodyError returns the rejection for a body that could not be read to its end.
func (s *server) bodyError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return retryLater(http.StatusRequestTimeout, errs.BadUserInput, "slow_body", busyTime,
			"The request's body arrived too slowly: each %d KiB must arrive within %.0f s, and all of it within the request's time limit. Send it again, in smaller requests if the connection is slow",
			bodyPiece>>10, bodyPieceTime.Seconds())
	case errors.Is(err, gate.ErrShare):
		return retryLater(http.StatusTooManyRequests, codeRateLimited, "bodies", busyFor(),
			"Your requests under way exceed %d bytes together, the limit: try again when some of them are answered",
			s.Gate.Bodies.Most())
	}
	return noMemory(err)
}
