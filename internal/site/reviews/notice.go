package reviews

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// notice is the data of the page on which a person without a token reports a comment.
type notice struct {
	*section
	Receipt   string // of the report; empty before it is made
	GoodFaith bool   // the box is ticked
}

// noticeFields are the names of its fields with texts.
var noticeFields = []string{"name", "email", "text"}

// Reports reports whether people without a token report comments on a page.
func (s *section) Reports() bool { return s.policy.Reporting }

// ReportOf returns the address of the page that reports a comment.
func (s *section) ReportOf(id string) string {
	return s.Address + "/reviews/" + url.PathEscape(s.ProductID) + "/report/" + url.PathEscape(id) + "?lang=" + s.Tag
}

// report serves the page with GET, and reports the comment with POST.
func (h *Handler) report(w http.ResponseWriter, r *http.Request) {
	head, status := w.Header(), http.StatusOK
	head.Set("Content-Security-Policy", policyOfWriting)
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Robots-Tag", "noindex")
	tag := cmp.Or(r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	p := &notice{section: h.newSection(r.PathValue("product"), parseList(url.Values{"lang": {tag}}))}
	p.Form = &form{Action: r.URL.Path + "?lang=" + p.Tag, values: map[string]string{}, problems: map[string]string{}}
	if r.Method == http.MethodPost {
		status = h.notify(w, r, p)
	}
	h.show(w, r, "notice", p.section, p, status)
}

// notify reports the comment, and returns the status.
func (h *Handler) notify(w http.ResponseWriter, r *http.Request, p *notice) int {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	if err := r.ParseForm(); err != nil {
		p.Form.Error = p.Error("BAD_USER_INPUT", "TOO_LONG")
		return http.StatusRequestEntityTooLarge
	}
	v := p.Form.values
	for _, name := range noticeFields {
		v[name] = r.PostForm.Get(name)
	}
	p.GoodFaith = r.PostForm.Has("goodFaith")
	reason := strings.Join(strings.Fields(v["text"]), " ") // a reason is one line
	a, err := h.ask(r, noticeOperation, "", map[string]any{"input": map[string]any{"id": r.PathValue("comment"), "reason": reason,
		"notice": map[string]any{"name": v["name"], "email": v["email"], "goodFaith": p.GoodFaith}}})
	var of struct{ ReportComment *struct{ Receipt string } }
	if err == nil {
		err = json.Unmarshal(a.Data, &of)
	}
	if of.ReportComment != nil {
		p.Receipt = of.ReportComment.Receipt
		return http.StatusOK
	}
	if wait := a.Header.Get("Retry-After"); wait != "" {
		w.Header().Set("Retry-After", wait)
	}
	status := h.explain(r, p.section, a, err)
	if slices.ContainsFunc(a.Errors, func(e Problem) bool { return e.Extensions.Code == "CONFLICT" }) {
		p.Form.Error = p.Text("noticeMany")
	}
	return status
}
