package reviews

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"
)

// form is the input of a person, with the problems of its fields.
type form struct {
	Token, Key string
	Rating     int
	Action     string // the address that it posts to
	Invitation string // that permits uploads; empty for those of the person with the token
	Photos     []photo
	Edit       bool // of an existing comment, whose author does not change
	Attributes []attributeField
	values     map[string]string // by the names of fields
	problems   map[string]string // sentences, by the names of fields
	Error      string            // about the whole form
}

// Wrong reports whether the form shows a problem.
func (f *form) Wrong() bool { return f.Error != "" || len(f.problems) > 0 }

// Problem returns the sentence about an invalid field; empty if the field is valid.
func (f *form) Problem(name string) string { return f.problems[name] }

// Action is the address that the form posts to.
func (s *section) Action() string {
	return cmp.Or(s.Form.Action, s.Address+"/reviews/"+url.PathEscape(s.ProductID))
}

// field is a field of the form.
type field struct {
	Name, Label, Value, Problem string
	Most                        int // characters
}

// Field returns a field for its template.
func (s *section) Field(name, label string, most int) field {
	return field{name, s.Text(label), s.Form.values[name], s.Form.Problem(name), most}
}

// emptyForm serves the form as a fragment, for the custom element.
func (h *Handler) emptyForm(w http.ResponseWriter, r *http.Request) {
	s := h.newSection(r.PathValue("product"), parseList(r.URL.Query()).all())
	s.Form = &form{values: map[string]string{"language": s.Tag}}
	h.show(w, r, "form", s, s, http.StatusOK)
}

// show answers with a template and the form, which no cache may store.
func (h *Handler) show(w http.ResponseWriter, r *http.Request, name string, s *section, data any, status int) {
	if out, ok := h.render(w, r, name, s, data); ok {
		h.answer(w, r, rendered{body: out.body}, status)
	}
}

// largestForm is the maximum size of a form in bytes: a text of 20,000 characters at up to 12 bytes
// each, and the other fields.
const largestForm = 300 << 10

// create creates a comment from a form with the token that the shop put into it, and redirects to
// the page. If the form is invalid, it shows the form again, with each problem at its field.
func (h *Handler) create(w http.ResponseWriter, r *http.Request) {
	product := r.PathValue("product")
	r.Body = http.MaxBytesReader(w, r.Body, largestForm)
	err := r.ParseForm()
	s := h.newSection(product, parseList(r.PostForm).all())
	f := &form{Token: r.PostForm.Get("token"), Key: r.PostForm.Get("key"), values: map[string]string{}, problems: map[string]string{}}
	s.Form = f
	if err != nil {
		f.Error = s.Error("BAD_USER_INPUT", "TOO_LONG")
		h.show(w, r, "page", s, s, http.StatusRequestEntityTooLarge)
		return
	}
	if f.Key == "" {
		f.Key = ulid.Make().String() // sent again with the corrected form
	}
	input := f.input(r.PostForm, s.Tag)
	input["productId"], input["idempotencyKey"] = product, f.Key
	a, err := h.ask(r, createOperation, f.Token, map[string]any{"input": input})
	var of struct {
		CreateComment *struct {
			Comment struct{ CommentID, State string }
		}
	}
	if err == nil {
		err = json.Unmarshal(a.Data, &of)
	}
	if of.CreateComment != nil {
		c := of.CreateComment.Comment
		to := s.list.query() + "#pr-title"
		if c.State == "PUBLISHED" {
			to = s.Permalink(c.CommentID)
		}
		http.Redirect(w, r, "/reviews/"+url.PathEscape(product)+to, http.StatusSeeOther)
		return
	}
	h.show(w, r, "page", s, s, h.explain(r, s, a, err))
}

// input fills the form with the values that a person sent, and returns them for the API. Without one,
// the language is that of the form.
func (f *form) input(sent url.Values, language string) map[string]any {
	f.Rating, _ = strconv.Atoi(sent.Get("rating"))
	input := map[string]any{"rating": f.Rating}
	for _, name := range []string{"author", "title", "text", "language"} {
		f.values[name] = sent.Get(name)
		input[name] = f.values[name]
	}
	if photos := chosen(sent.Get("photos")); photos != nil {
		input["photos"] = photos
	}
	input["language"] = cmp.Or(f.values["language"], language)
	return input
}

// explain puts the problems of an answer at the fields of the form, and returns the status. err says
// why there is no answer.
func (h *Handler) explain(r *http.Request, s *section, a *Result, err error) int {
	f, status := s.Form, http.StatusUnprocessableEntity
	for _, e := range a.Errors {
		text := s.Error(e.Extensions.Code, e.Extensions.Reason)
		field := e.Extensions.Field // such as input.rating
		switch name := field[strings.LastIndex(field, ".")+1:]; name {
		case "reason": // of a report
			f.problems["text"] = text
		case "rating", "author", "title", "text", "language", "name", "email", "goodFaith":
			f.problems[name] = text
		default:
			if !f.atAttribute(field, text) {
				f.Error = text
			}
		}
	}
	if f.Error == "" && len(f.problems) == 0 {
		f.Error, status = s.Error("INTERNAL", ""), http.StatusServiceUnavailable
		h.Log.DebugContext(r.Context(), "a form for reviews got no answer", "error", err)
	}
	return status
}
