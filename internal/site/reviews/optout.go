package reviews

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"product-comments/store/errs"
)

// Requests are the review requests whose messages lead to pages of this package.
type Requests interface {
	// CanOptOut returns a BadUserInput error for a token of no message.
	CanOptOut(token string) error
	// OptOut takes the opt-out of a message's buyer.
	OptOut(ctx context.Context, token string) error
	// OpenedBy notes that a person opened the page of an invitation.
	OpenedBy(ctx context.Context, invitation string)
}

// optingOut is the data of the page to opt out.
type optingOut struct {
	*section
	Action string
	Done   bool
	Closed string // why the link does not work; empty if it does
}

// optOut serves the page to opt out with GET, which changes nothing because scanners of mail open
// links, and opts out with POST, also with the one click of RFC 8058.
func (h *Handler) optOut(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", policyOfWriting)
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Robots-Tag", "noindex")
	tag := cmp.Or(r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	p := &optingOut{section: h.newSection("", parseList(url.Values{"lang": {tag}}))}
	p.Action = r.URL.Path + "?lang=" + p.Tag
	err := h.Requests.CanOptOut(r.PathValue("token"))
	if err == nil && r.Method == http.MethodPost {
		err = h.Requests.OptOut(r.Context(), r.PathValue("token"))
		p.Done = err == nil
	}
	status := http.StatusOK
	switch {
	case errs.CodeOf(err) == errs.BadUserInput:
		status, p.Closed = http.StatusNotFound, p.Text("optOutWrong")
	case err != nil:
		h.Log.WarnContext(r.Context(), "an opt-out failed", "error", err)
		head.Set("Retry-After", "60")
		status, p.Closed = http.StatusServiceUnavailable, p.Error("UNAVAILABLE", "")
	}
	h.show(w, r, "optout", p.section, p, status)
}
