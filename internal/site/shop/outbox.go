package shop

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Mail is a mail that the shop sent.
type Mail struct {
	Subject, To string
	At          time.Time
	HTML        string
}

// listed is how many mails the page shows.
const listed = 20

// policyOfMails is the Content-Security-Policy of a mail. It is shown as a reader of mail does: without
// scripts, and its links open in place of the whole page.
const policyOfMails = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' https: data:; form-action 'none'; " +
	"frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation"

// outbox shows the newest mails.
func (s *Shop) outbox(w http.ResponseWriter, r *http.Request) {
	p, ok := s.newPage(r, "/")
	if !ok || p.Role != "moderator" {
		http.NotFound(w, r)
		return
	}
	all, err := s.Mails(listed)
	if err != nil {
		s.Log.ErrorContext(r.Context(), "the mails could not be read", "error", err)
		http.Error(w, "The mails cannot be shown now.", http.StatusInternalServerError)
		return
	}
	p.Title, p.Mails = "Outbox", all
	s.render(w, r, "outbox.html", p)
}

// mail shows one of the newest mails, by its place in the list and its time.
func (s *Shop) mail(w http.ResponseWriter, r *http.Request) {
	p, ok := s.newPage(r, "/")
	all, err := s.Mails(listed)
	if !ok || p.Role != "moderator" || err != nil {
		http.NotFound(w, r)
		return
	}
	for _, m := range all {
		if strconv.FormatInt(m.At.UnixNano(), 10) == r.PathValue("at") {
			h := w.Header()
			h.Set("Content-Security-Policy", policyOfMails)
			h.Set("Content-Type", "text/html; charset=utf-8")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cache-Control", "no-store")
			_, _ = w.Write([]byte(strings.Replace(m.HTML, "<head>", `<head><base target="_top">`, 1))) // the client may be gone
			return
		}
	}
	http.NotFound(w, r)
}
