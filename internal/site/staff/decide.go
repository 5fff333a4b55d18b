package staff

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"product-comments/internal/site/reviews"
	"product-comments/internal/site/static"
)

// verbs are what can be done with a comment: the operation, and the fields of its input by the names of
// the form's fields.
var verbs = map[string]struct {
	document string
	to       string // the state of the comment then, empty for the same
	fields   map[string]string
}{
	"approve": {document("approve"), "PUBLISHED", map[string]string{"version": "expectedVersion", "state": "expectedState"}},
	"reject":  {document("reject"), "REJECTED", map[string]string{"version": "expectedVersion", "state": "expectedState", "code": "code", "reason": "reason"}},
	"reply":   {document("reply"), "", map[string]string{"reply": "text"}},
	"photo":   {document("photo"), "", map[string]string{"version": "expectedVersion", "photo": "photoId"}},
}

// largestForm bounds the form of a decision in bytes.
const largestForm = 64 << 10

// readForm reads the form of a request. It answers and reports false if that fails, or if there is no such
// form.
func readForm(w http.ResponseWriter, r *http.Request, exists bool) bool {
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	if !exists || r.ParseForm() != nil {
		http.Error(w, labels(r).Error("BAD_USER_INPUT", ""), http.StatusBadRequest)
		return false
	}
	return true
}

// outcome is an answer to the script.
type outcome struct {
	Say     string            `json:"say,omitempty"`
	Wrong   string            `json:"wrong,omitempty"`
	Version int               `json:"version,omitempty"`
	Counts  map[string]string `json:"counts,omitempty"`
	Looks   map[string]string `json:"looks,omitempty"` // by comment id
}

// decide does what a form asks for. It answers the script with JSON, and others with the page from which
// the form came, or with that of the comment and what is wrong.
func (h *Handler) decide(w http.ResponseWriter, r *http.Request) {
	name, id := r.PathValue("verb"), r.PathValue("id")
	verb, ok := verbs[name]
	if !readForm(w, r, ok) {
		return
	}
	input := map[string]any{"id": id}
	for field, of := range verb.fields {
		input[of] = r.PostForm.Get(field)
		switch {
		case field == "version":
			input[of] = count(r.PostForm.Get(field))
		case field == "state" && input[of] == "":
			delete(input, of)
		}
	}
	if name == "reject" && strings.TrimSpace(r.PostForm.Get("reason")) == "" { // its author reads it
		input["reason"] = languages.For(r.PostForm.Get("language")).Rejections[r.PostForm.Get("code")]
	}
	p := &commentPage{frame: h.newFrame(r, "review")}
	done := func(version int, c counts) {
		out := outcome{Say: p.Text("said." + name), Version: version, Counts: map[string]string{}}
		for _, what := range []string{"PENDING", "PUBLISHED", "REJECTED", "WITHDRAWN", "reported", "hidden"} {
			out.Counts[what] = c.of(&p.frame, what)
		}
		h.answer(w, r, http.StatusOK, out, func() {
			http.Redirect(w, r, said(r.PostForm.Get("back"), name), http.StatusSeeOther)
		})
	}
	var status int
	var wrong string
	if r.PostForm.Get("reports") != "" && verb.to != "" { // a dismissal of reports changes no state
		if now, _ := h.late(r, &p.frame, id, ""); now.Comment != nil && now.Comment.ReportCount == 0 {
			status = http.StatusConflict
		}
	}
	if status == 0 {
		a, err := reviews.Execute(h.API, r, verb.document, "", map[string]any{"input": input})
		var of map[string]*struct {
			Comment comment
			Query   counts
		}
		if err == nil && json.Unmarshal(a.Data, &of) == nil {
			for _, one := range of {
				if one == nil {
					continue
				}
				if last := one.Comment.History; len(last) > 0 && last[0].By != p.Person.Subject { // this one had no effect
					status = http.StatusConflict
					continue
				}
				done(one.Comment.Version, one.Query)
				return
			}
		}
		if status != 0 {
			// another person came to the same state first
		} else if status, wrong = p.explain(a); status == http.StatusServiceUnavailable {
			h.Log.WarnContext(r.Context(), "a decision was not executed", "comment", id, "error", err, "problems", a.Errors)
		}
	}
	if status == http.StatusConflict {
		now, mine := h.late(r, &p.frame, id, verb.to)
		if mine { // the answer to the first try was lost
			done(now.Comment.Version, now.counts)
			return
		}
		wrong = cmp.Or(now.says, wrong)
	}
	h.answer(w, r, status, outcome{Wrong: wrong}, func() {
		p.Wrong, p.Comment.Typed = wrong, map[string]string{}
		for field := range r.PostForm {
			p.Comment.Typed[field] = r.PostForm.Get(field)
		}
		h.showComment(w, r, p, status)
	})
}

// answer answers the script with JSON, and other clients by a function.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, status int, out outcome, otherwise func()) {
	if !strings.Contains(r.Header.Get("Accept"), "json") {
		otherwise()
		return
	}
	w.Header().Set("Content-Type", static.Types[".json"])
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

// said returns the address of a page of the desk that says what was done; of the queue for any other
// address.
func said(back, what string) string {
	u, err := url.Parse(back)
	if err != nil || u.Host != "" || u.Scheme != "" || u.Path != Path && !strings.HasPrefix(u.Path, Path+"/") {
		u = &url.URL{Path: Path}
	}
	q := u.Query()
	q.Set("said", what)
	return u.EscapedPath() + "?" + q.Encode()
}

// late returns a comment that has changed since a person read it, with a sentence about who decided
// before, and what. mine reports whether it was this person, who came to the same state.
func (h *Handler) late(r *http.Request, f *frame, id, to string) (now struct {
	found
	says string
}, mine bool) {
	a, err := reviews.Execute(h.API, r, commentOperation, "", map[string]any{"id": id, "withReports": false})
	if err != nil || json.Unmarshal(a.Data, &now.found) != nil || now.Comment == nil {
		return now, false
	}
	now.says = f.Text("changed")
	if len(now.Comment.History) > 0 {
		d := now.Comment.History[0]
		if d.By == f.Person.Subject {
			return now, d.To == to && d.PhotoID == ""
		} else if d.By != "" {
			now.says = f.Text("late", "name", d.By, "what", f.Decided(d), "reason", d.Reason, "at", f.Moment(d.At))
		}
	}
	return now, false
}
