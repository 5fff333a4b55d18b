package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// HooksPath is the path that a Receiver is served at.
const HooksPath = "/shop/hooks"

const (
	kept     = 50        // events
	maxEvent = 256 << 10 // bytes of a body
)

// Receiver gets webhooks as a shop's other system would, and keeps the newest in memory.
type Receiver struct {
	// Secrets returns the secrets that sign its webhooks.
	Secrets func(context.Context) ([][]byte, error)

	mu     sync.Mutex
	events []event // the newest first
}

// event is a webhook whose signature was verified.
type event struct {
	ID      string
	Type    string
	Time    time.Time
	Product string // empty if it concerns none
	Body    string
}

// ServeHTTP gets a webhook. A repeat, which has the same id, is kept once.
func (v *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	if err != nil {
		http.Error(w, "The body cannot be read.", http.StatusBadRequest)
		return
	}
	secrets, err := v.Secrets(r.Context())
	if err != nil {
		http.Error(w, "The secret cannot be read now.", http.StatusServiceUnavailable)
		return
	}
	if !slices.ContainsFunc(secrets, func(secret []byte) bool {
		by, err := standardwebhooks.NewWebhookRaw(secret)
		return err == nil && by.Verify(body, r.Header) == nil
	}) {
		http.Error(w, "The signature is wrong.", http.StatusUnauthorized)
		return
	}
	v.keep(r.Header.Get(standardwebhooks.HeaderWebhookID), body)
	w.WriteHeader(http.StatusNoContent)
}

func (v *Receiver) keep(id string, body []byte) {
	var of struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      struct {
			Comment struct {
				ProductID string `json:"productId"`
			} `json:"comment"`
		} `json:"data"`
	}
	var text bytes.Buffer
	if json.Unmarshal(body, &of) != nil || json.Indent(&text, body, "", "  ") != nil {
		return // no sender of ours makes it
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if slices.ContainsFunc(v.events, func(e event) bool { return e.ID == id }) {
		return
	}
	v.events = append(v.events, event{id, of.Type, of.Timestamp.UTC(), of.Data.Comment.ProductID, text.String()})
	slices.SortStableFunc(v.events, func(a, b event) int { return b.Time.Compare(a.Time) })
	v.events = v.events[:min(len(v.events), kept)]
}

// newest returns the events, the newest first.
func (v *Receiver) newest() []event {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.events)
}

func (s *Shop) events(w http.ResponseWriter, r *http.Request) {
	p, ok := s.newPage(r, "/")
	if !ok || p.Role != "moderator" {
		http.NotFound(w, r)
		return
	}
	p.Title, p.Events = "Events", s.Receiver.newest()
	s.render(w, r, "events.html", p)
}
