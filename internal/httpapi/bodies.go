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

// reservations are the reservations of a request in shares of limited size.
type reservations []*gate.Hold

// add adds a reservation, given the results of Enter.
func (all *reservations) add(hold *gate.Hold, err error) error {
	if err == nil {
		*all = append(*all, hold)
	}
	return err
}

// shrink releases all but a weight of the first reservation, and the others.
func (all *reservations) shrink(weight int64) {
	for _, hold := range *all {
		hold.Shrink(weight)
		weight = 0
	}
}

func (all *reservations) release() { all.shrink(0) }

type slotKey struct{}

// slot is the slot of a request that may run, with its charges.
type slot struct {
	*gate.Hold
	sent float64 // units charged for the request's bytes
}

// waitForSlot is the step that limits concurrent requests. It reads the body before it takes the
// slot, because a client may send slowly. It releases the slot before the answer is sent, because a
// client may read slowly.
func (s *server) waitForSlot(w http.ResponseWriter, r *http.Request, next http.Handler) {
	var memory reservations
	defer memory.release()
	a := accountOf(r.Context())
	bytes, err := s.readWhole(w, r, a.key, &memory)
	sent := float64((bytes + int64(len(r.URL.RawQuery))) / bytesOfUnit)
	s.Gate.Cost.limiterFor(a).Charge(a.key, sent)
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		s.reject(w, r, s.bodyError(err))
		return
	}
	hold, err := s.Gate.Slots.Enter(r.Context(), s.Gate.shareOf(a), 1)
	if err != nil {
		s.reject(w, r, s.overloaded(err))
		return
	}
	defer hold.Leave()
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), slotKey{}, slot{hold, sent})))
}

// slotOf returns the slot of a request.
func slotOf(ctx context.Context) slot {
	taken, _ := ctx.Value(slotKey{}).(slot)
	return taken
}

// A body is read in pieces. The first piece reserves no memory: nearly all bodies are smaller, and
// the number of connections bounds them. Each further piece reserves memory before it is read, and
// has a deadline.
const (
	bodyPiece     = 16 << 10 // bytes
	bodyPieceTime = 5 * time.Second
)

// readWhole reads a request's body into memory, within the memory limit and the deadlines. It
// leaves other errors of the body to the next reader. It returns the number of bytes read.
func (s *server) readWhole(
	w http.ResponseWriter, r *http.Request, client string, memory *reservations,
) (sent int64, err error) {
	var pieces []io.Reader
	for {
		piece := &bytes.Buffer{}
		if len(pieces) > 0 {
			if err := memory.add(s.Gate.Bodies.Enter(r.Context(), client, bodyPiece)); err != nil {
				return sent, err
			}
			piece = bytes.NewBuffer(make([]byte, 0, bodyPiece+bytes.MinRead)) // ReadFrom needs MinRead bytes to detect the end
			setReadDeadline(w, r)
		}
		pieces = append(pieces, piece)
		n, err := io.CopyN(piece, r.Body, bodyPiece)
		sent += n
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return sent, err
		case err != nil:
			r.Body = io.NopCloser(io.MultiReader(append(pieces, errReader{err})...))
			return sent, nil
		}
	}
}

// errReader returns the error that ended the reading of a body, usually io.EOF.
type errReader struct{ error }

func (e errReader) Read([]byte) (int, error) { return 0, e.error }

// setReadDeadline sets the deadline of the next piece; the deadline of the request is the latest
// possible. The server resets it at the end of the body.
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
		return shareUsed("bodies", s.Gate.Bodies, "Your requests under way exceed %d bytes together, the limit: try again when some of them are answered")
	}
	return s.noMemory(err)
}
