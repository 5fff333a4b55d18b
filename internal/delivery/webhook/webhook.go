// Package webhook sends events to endpoints as Standard Webhooks (standardwebhooks.com) describes.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"product-comments/internal/delivery/outbound"
	"product-comments/internal/files/ndjson"
	"product-comments/store/comment/item"
	"product-comments/store/outbox"
)

const (
	// maxBody bounds the body of a request, in bytes.
	maxBody = 256 << 10
	// cutText is the size of texts in a body that would be larger, in bytes.
	cutText = 20_000
	// maxAnswer is how much of an answer is read, in bytes.
	maxAnswer = 4 << 10
)

// Sender sends events to endpoints.
type Sender struct {
	Outbox *outbox.Outbox // opens the secrets
	Client *outbound.Client
	// Agent is the value of the header User-Agent.
	Agent string
	// Request reads what the event of an order's request says; see About. Nil if nothing asks buyers.
	Request func(context.Context, *outbox.Event) (*Request, error)
}

// Send sends an event to an endpoint. An answer of 2xx acknowledges it.
func (s *Sender) Send(ctx context.Context, p *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
	var about *Request
	if e.Order != "" && s.Request != nil {
		var err error
		if about, err = s.Request(ctx, e); err != nil {
			return outbox.Outcome{Err: err}
		}
	}
	body := Body(e, about)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return outbox.Outcome{Err: errors.New("its address is not valid")}
	}
	now := time.Now()
	signatures, err := s.sign(p, e.ID, now, body)
	if err != nil {
		return outbox.Outcome{Err: err}
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {s.Agent},
		"Webhook-Id": {e.ID}, "Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)}, "Webhook-Signature": {signatures},
	}
	answer, err := s.Client.Do(request, maxAnswer)
	switch {
	case err != nil:
		return outbox.Outcome{Err: errors.New(outbound.Words(err.Error()))} // it may quote the answer
	case answer.Status/100 == 2:
		return outbox.Outcome{}
	}
	return outbox.Outcome{Err: refusal(answer), After: retryAfter(answer, now), Gone: answer.Status == http.StatusGone}
}

// sign returns the signatures of a body by all secrets that sign at a time.
func (s *Sender) sign(p *outbox.Endpoint, id string, now time.Time, body []byte) (string, error) {
	secrets, err := s.Outbox.Open(p, now)
	if err != nil {
		return "", err
	}
	var signatures []string
	for _, secret := range secrets {
		by, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return "", err
		}
		signature, err := by.Sign(id, now, body)
		if err != nil {
			return "", err
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " "), nil
}

// refusal returns the error for an answer that does not acknowledge an event.
func refusal(answer *outbound.Response) error {
	quoted := outbound.Words(string(answer.Body))
	if quoted != "" {
		quoted = ": " + quoted
	}
	return fmt.Errorf("it answered %d %s%s", answer.Status, http.StatusText(answer.Status), quoted)
}

// retryAfter returns how long an endpoint wants no requests (RFC 9110, section 10.2.3), 0 if it does
// not say.
func retryAfter(answer *outbound.Response, now time.Time) time.Duration {
	if answer.Status != http.StatusTooManyRequests && answer.Status != http.StatusServiceUnavailable {
		return 0
	}
	text := answer.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// Body returns the body of a request for an event, at most maxBody bytes: longer texts are cut. about is
// the review request that the event is about, nil for none.
func Body(e *outbox.Event, about *Request) []byte {
	b := body(e, about, e.Comment, e.Previous, false)
	if len(b) <= maxBody {
		return b
	}
	return body(e, about, cut(e.Comment), cut(e.Previous), true)
}

func body(e *outbox.Event, about *Request, comment, previous *item.Stored, truncated bool) []byte {
	b := fmt.Appendf(nil, `{"type":%q,"timestamp":%q,"data":{`, e.Type, e.At.CreatedAt.Format(time.RFC3339Nano))
	if about != nil {
		text, err := json.Marshal(about)
		if err != nil { // texts and times can be marshaled
			panic(err)
		}
		b = append(fmt.Appendf(b, `"version":%d,"request":`, e.Version()), text...)
	}
	if comment != nil {
		b = fmt.Appendf(b, `"version":%d,"comment":`, e.Version())
		b = bytes.TrimSpace(ndjson.Append(b, &comment.Comment))
	}
	if previous != nil {
		b = bytes.TrimSpace(ndjson.Append(append(b, `,"previous":`...), &previous.Comment))
	}
	for i, name := range e.Changed {
		if i == 0 {
			b = append(b, `,"changed":[`...)
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, name)
	}
	if len(e.Changed) > 0 {
		b = append(b, ']')
	}
	if truncated {
		b = append(b, `,"truncated":true`...)
	}
	return append(b, "}}"...)
}

// cut returns a comment with its text cut to cutText bytes, nil for nil.
func cut(c *item.Stored) *item.Stored {
	if c == nil || len(c.Text) <= cutText {
		return c
	}
	n := cutText
	for !utf8.RuneStart(c.Text[n]) {
		n--
	}
	short := *c
	short.Text = c.Text[:n]
	return &short
}
