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

// rooms are what a request has taken of bounded rooms: what gives each back.
type rooms []func()

// take adds what Enter returned.
func (all *rooms) take(leave func(), err error) error {
	if err == nil {
		*all = append(*all, leave)
	}
	return err
}

func (all *rooms) leave() {
	for _, leave := range *all {
		leave()
	}
}

type slotKey struct{}

// slot lets a bounded number of requests be worked at. The body is read before,
// since a client may take its time to send it; and the answer is sent after
// leaveSlot, since a client may take its time to read it.
func (s *server) slot(w http.ResponseWriter, r *http.Request, next http.Handler) {
	var memory rooms
	defer memory.leave()
	if err := s.readWhole(w, r, &memory); err != nil {
		w.Header().Set("Connection", "close") // what the client still sends is not read
		s.reject(w, r, s.unread(err))
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

// leaveSlot tells that a request is worked at no more.
func leaveSlot(ctx context.Context) {
	if leave, ok := ctx.Value(slotKey{}).(func()); ok {
		leave()
	}
}

// What of a body is read at a time. The first piece takes no room in the memory: nearly
// all bodies are smaller, and the number of connections bounds these. Each further one
// takes room when it is about to come, and must come in time.
const (
	bodyPiece     = 16 << 10 // bytes
	bodyPieceTime = 5 * time.Second
)

// readWhole reads a request's body into memory, as far as there is room and the client
// sends it in time. What else is wrong with the body, the next reader will see.
func (s *server) readWhole(w http.ResponseWriter, r *http.Request, memory *rooms) error {
	client := askerOf(r.Context()).key
	var pieces []io.Reader
	for {
		piece := &bytes.Buffer{}
		if len(pieces) > 0 {
			if err := memory.take(s.Gate.Bodies.Enter(r.Context(), client, bodyPiece)); err != nil {
				return err
			}
			piece = bytes.NewBuffer(make([]byte, 0, bodyPiece+bytes.MinRead)) // ReadFrom wants MinRead to see the end
			expect(w, r)
		}
		pieces = append(pieces, piece)
		_, err := io.CopyN(piece, r.Body, bodyPiece)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return err
		case err != nil:
			r.Body = io.NopCloser(io.MultiReader(append(pieces, ended{err})...))
			return nil
		}
	}
}

// ended is the end of a body that was read up to an error, which often is io.EOF.
type ended struct{ error }

func (e ended) Read([]byte) (int, error) { return 0, e.error }

// expect sets when the next piece must have come, never after the end of the request's
// time. Where a body ends the server itself forgets it.
func expect(w http.ResponseWriter, r *http.Request) {
	due := time.Now().Add(bodyPieceTime)
	if end, ok := r.Context().Deadline(); ok && due.After(end.Add(SendTime)) {
		due = end.Add(SendTime)
	}
	_ = http.NewResponseController(w).SetReadDeadline(due) // a test's writer has none
}

// unread says why a body was not read to its end.
func (s *server) unread(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return later(http.StatusRequestTimeout, errs.BadUserInput, "slow_body", busyTime,
			"The request's body arrived too slowly: each %d KiB must arrive within %.0f s, and all of it within the request's time limit. Send it again, in smaller requests if the connection is slow",
			bodyPiece>>10, bodyPieceTime.Seconds())
	case errors.Is(err, gate.ErrPart):
		return later(http.StatusTooManyRequests, codeRateLimited, "bodies", busyFor(),
			"Your requests under way exceed %d bytes together, the limit: try again when some of them are answered", s.Gate.Bodies.Most())
	}
	return noMemory(err)
}
