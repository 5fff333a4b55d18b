package reviews

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"product-comments/internal/site/static"
	"product-comments/store/key/invitations"
)

// writing is the data of the page that an invitation opens.
type writing struct {
	*section
	Comment *written // nil before it is written
	Others  []other
	Sent    bool   // it was just written or changed
	Closed  string // why the invitation cannot be used; empty if it can
}

// written is the comment of an invitation.
type written struct {
	Comment
	State         string  `json:"state"`
	RejectionCode *string `json:"rejectionCode"`
}

// other is a further product of the order.
type other struct{ Name, Image, Href string }

// States are sentences about the comment; none for one that has been published for a while.
func (p *writing) States() (all []string) {
	switch state := p.Comment.State; {
	case state != "PUBLISHED":
		all = append(all, p.Text(state))
	case p.Sent:
		all = append(all, p.Text("sent"))
	}
	if code := p.Comment.RejectionCode; code != nil {
		all = append(all, p.Rejections[*code])
	}
	return all
}

// Values are the attributes of the comment.
func (p *writing) Values() []value { return p.section.Values(p.Comment.Comment) }

// Shown are links to the photos of the comment.
func (p *writing) Shown() []thumbnail { return p.Thumbnails(p.Comment.Comment) }

// policyOfWriting is the Content-Security-Policy of these pages without photos. They have no script.
const policyOfWriting = "default-src 'none'; style-src 'self'; img-src 'self' https: data:; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// open reads an invitation for its page. The status is not 200 if the invitation cannot be used.
func (h *Handler) open(w http.ResponseWriter, r *http.Request) (p *writing, status int) {
	head, token := w.Header(), r.PathValue("token")
	head.Set("Content-Security-Policy", policyOfWriting)
	if h.Photos {
		head.Set("Content-Security-Policy", static.Policy)
	}
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Robots-Tag", "noindex")
	tag := cmp.Or(r.PostForm.Get("lang"), r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	p = &writing{section: h.newSection("", parseList(url.Values{"lang": {tag}}))}
	a, err := h.ask(r, writeOperation, "", map[string]any{"token": token, "lang": p.Tag})
	var data struct {
		Invitation *struct {
			Product product
			Comment *written
			Others  []struct {
				Token   string
				Product product
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(a.Data, &data)
	}
	if err != nil || data.Invitation == nil || len(a.Errors) > 0 {
		h.Log.DebugContext(r.Context(), "a page to write on is not complete", "error", err)
		return p, h.closed(w, p, a)
	}
	i := data.Invitation
	p.section = h.newSection(i.Product.ProductID, p.list)
	p.Product, p.Comment = &i.Product, i.Comment
	p.Form = &form{Action: r.URL.Path + "?lang=" + p.Tag, Edit: p.Comment != nil, Invitation: token, values: map[string]string{"language": p.Tag}, problems: map[string]string{}}
	if p.Comment != nil {
		p.Form.Photos = p.Comment.Photos
	}
	for _, o := range i.Others {
		one := other{Name: o.Product.ProductID, Href: invitations.Path + o.Token + "?lang=" + p.Tag}
		if e := h.newSection(o.Product.ProductID, p.list).Entry; e != nil {
			one.Name, one.Image = e.Name, e.Image
		}
		p.Others = append(p.Others, one)
	}
	return p, http.StatusOK
}

// closed sets why an invitation cannot be used, and returns the status.
func (h *Handler) closed(w http.ResponseWriter, p *writing, a *Result) int {
	status, code, reason := http.StatusServiceUnavailable, "UNAVAILABLE", ""
	for _, e := range a.Errors {
		switch e.Extensions.Code {
		case "BAD_USER_INPUT", "NOT_FOUND":
			status, code, reason = http.StatusNotFound, "NOT_AN_INVITATION", e.Extensions.Reason
			if reason == "EXPIRED" {
				status = http.StatusGone
			}
		case "RATE_LIMITED":
			status, code = http.StatusTooManyRequests, "RATE_LIMITED"
		}
	}
	if status >= http.StatusTooManyRequests {
		w.Header().Set("Retry-After", cmp.Or(a.Header.Get("Retry-After"), "60"))
	}
	p.Closed = p.Error(code, reason)
	return status
}

// invitation serves the page of an invitation: the form, or the comment with a form to change it. It
// changes nothing, because scanners of mail open links.
func (h *Handler) invitation(w http.ResponseWriter, r *http.Request) {
	p, status := h.open(w, r)
	if status == http.StatusOK {
		if h.Requests != nil && r.Header.Get("Sec-Fetch-User") == "?1" { // a click of a person; scanners do not send it
			h.Requests.OpenedBy(r.Context(), r.PathValue("token"))
		}
		value := func(string) string { return "" }
		p.Form.Rating, _ = strconv.Atoi(r.URL.Query().Get("rating"))
		if c := p.Comment; c != nil {
			p.Sent, p.Form.Rating = r.URL.Query().Has("sent"), c.Rating
			p.Form.values = map[string]string{"title": c.Title, "text": c.Text, "language": c.Language}
			value = func(key string) string {
				for _, a := range c.Attributes {
					if a.Definition.Key == key {
						return a.Value
					}
				}
				return ""
			}
		}
		p.Form.Attributes = p.attributeFields(value)
	}
	h.show(w, r, "write", p.section, p, status)
}

// write writes or changes the comment of an invitation, and redirects to its page.
func (h *Handler) write(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	wrong := r.ParseForm()
	p, status := h.open(w, r)
	if status != http.StatusOK {
		h.show(w, r, "write", p.section, p, status)
		return
	}
	f := p.Form
	if wrong != nil {
		f.Error = p.Error("BAD_USER_INPUT", "TOO_LONG")
		h.show(w, r, "write", p.section, p, http.StatusRequestEntityTooLarge)
		return
	}
	input, document := f.input(r.PostForm, p.Tag), createOperation
	input["attributes"], input["invitation"] = p.fill(r.PostForm), r.PathValue("token")
	if p.Comment != nil {
		document = updateOperation
		delete(input, "author")
		input["id"] = p.Comment.ID
		clear := []string{}
		for name, field := range map[string]string{"title": "TITLE", "text": "TEXT"} {
			if f.values[name] == "" {
				clear = append(clear, field)
			}
		}
		input["clear"] = clear
	}
	a, err := h.ask(r, document, "", map[string]any{"input": input})
	if err == nil && len(a.Errors) == 0 {
		http.Redirect(w, r, r.URL.Path+"?sent&lang="+p.Tag, http.StatusSeeOther)
		return
	}
	status = h.explain(r, p.section, a, err)
	h.show(w, r, "write", p.section, p, status)
}
