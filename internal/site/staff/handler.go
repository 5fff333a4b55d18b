package staff

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"product-comments/access"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/static"
)

var (
	//go:embed operations/*.graphql fragments/*.graphql
	operationFiles embed.FS
	//go:embed templates/*.html
	templateFiles embed.FS
	//go:embed labels/*.json
	labelFiles embed.FS
	// Script and style are made from web/staff before the build.
	//go:embed all:assets
	assetFiles embed.FS

	templates = reviews.Templates(templateFiles)
	languages = reviews.NewLanguages(labelFiles)
)

// documents are the operations of the desk.
var documents []string

// document returns an operation.
func document(name string) string {
	text := reviews.Document(operationFiles, name)
	documents = append(documents, text)
	return text
}

// Operations returns the documents of the desk, as reviews.Operations those of sections.
func Operations() map[string]string { return reviews.Hashed(documents) }

// Person is the member of the staff who uses the desk.
type Person struct {
	Subject, Name string
	Role          access.Role
}

// Options configure a desk.
type Options struct {
	API http.Handler // serves GraphQL at /graphql, for the viewer of a request's context
	Log *slog.Logger
	// Viewer returns the person of a request's context, false for none.
	Viewer func(context.Context) (Person, bool)
	// Catalogue has names and pictures of products; nil for none.
	Catalogue *reviews.Catalogue
}

// Handler serves the desk.
type Handler struct {
	Options
	script, style static.File
	mux           *http.ServeMux
}

// Path is the path that a server routes to a Handler, with all below it.
const Path = "/staff"

// pathComments is followed by the id of a comment.
const pathComments = Path + "/comments/"

// New returns a desk.
func New(o Options) http.Handler {
	h := &Handler{Options: o, mux: http.NewServeMux()}
	h.script, h.style = h.asset("staff.js"), h.asset("staff.css")
	for path, serve := range map[string]http.HandlerFunc{
		"GET " + Path: h.queue, "GET " + Path + "/reviews": h.reviews, "GET " + Path + "/reports": h.reports,
		"GET " + pathComments + "{id}": h.comment, "GET " + pathComments + "{id}/writer": h.writer,
		"POST " + pathComments + "{id}/{verb}": h.decide, "POST " + pathComments + "{id}/look": h.look,
		"GET " + pathRequests: h.requests, "GET " + pathOrders: h.orders, "GET " + pathEvents: h.events,
		"GET " + pathNumbers: h.numbers, "GET " + pathNumbers + "/{file}": h.numbers, "POST " + Path + "/do/{deed}": h.do,
	} {
		h.mux.HandleFunc(path, serve)
	}
	return h
}

// asset serves a file of assets; it is empty if the build lacks it.
func (h *Handler) asset(name string) static.File {
	content, _ := fs.ReadFile(assetFiles, "assets/"+name)
	f := static.New(Path+"/"+name, content)
	h.mux.Handle("GET "+Path+"/"+name, f)
	return f
}

// ServeHTTP implements http.Handler. Only moderators and services have a desk. What signs them in sets
// the headers that protect its pages.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p, ok := h.Viewer(r.Context()); !ok || !access.IsStaff(access.Viewer{Subject: p.Subject, Role: p.Role}) {
		http.Error(w, labels(r).Text("signedOut"), http.StatusUnauthorized)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// labels returns the labels of the language that a request asks for.
func labels(r *http.Request) *reviews.Labels { return languages.Of(r) }

// frame is what all pages have. The data of a page's template embed it.
type frame struct {
	*reviews.Labels
	Person        Person
	Page          string // its path
	Title         string
	Script, Style string
	Said          string // what a form did
	Wrong         string // what failed
	Again         string // the address of a page that failed, empty for its own

	query     url.Values
	address   string // of the page
	catalogue *reviews.Catalogue
}

// newFrame returns the frame of a page, whose title is the label with the key.
func (h *Handler) newFrame(r *http.Request, title string) frame {
	l := labels(r)
	p, _ := h.Viewer(r.Context())
	p.Name = cmp.Or(p.Name, p.Subject)
	f := frame{Labels: l, Person: p, Page: r.URL.Path, Title: l.Text(title), Script: h.script.URL(), Style: h.style.URL(),
		query: r.URL.Query(), catalogue: h.Catalogue}
	f.Said = l.Texts["said."+f.query.Get("said")]
	f.query.Del("said")
	f.address = r.URL.Path + "?" + f.query.Encode()
	return f
}

// Lang is the language that the address chooses, empty for that of the browser.
func (f frame) Lang() string { return f.query.Get("lang") }

// scripted are the labels that the script needs, with those of keys.
var scripted = []string{"previous", "next", "photos", "close", "sure", "select", "undo", "undone", "ended", "signIn", "sendAgain", "now",
	"keys", "keysOn", "key.j", "key.k", "key.a", "key.r", "key.x", "key.u", "key.?"}

// Sentences are the texts of the script.
func (f frame) Sentences() map[string]any {
	texts := map[string]string{"UNAVAILABLE": f.Error("UNAVAILABLE", "")}
	for _, key := range scripted {
		texts[key] = f.Texts[key]
	}
	return map[string]any{"texts": texts, "counts": map[string]any{
		"selected": f.Counts["selected"], "approve": f.Counts["held.approve"], "reject": f.Counts["held.reject"]}}
}

// tabs are the pages of the navigation, with their labels.
var tabs = [][2]string{
	{Path, "queue"}, {Path + "/reviews", "reviews"}, {Path + "/reports", "reports"},
	{pathRequests, "requests"}, {pathEvents, "events"}, {pathNumbers, "numbers"},
}

// tab is a link of the navigation.
type tab struct {
	Text, Href string
	On         bool
}

// Tabs are the links of the navigation.
func (f frame) Tabs() (all []tab) {
	for _, t := range tabs {
		if t[0] == pathEvents && f.Person.Role != access.Service {
			continue // the API has events for services alone
		}
		all = append(all, tab{f.Text(t[1]), f.Link(t[0]), f.Page == t[0]})
	}
	return all
}

// Link returns the address of a page of the desk, with parameters, in the language of this page.
func (f frame) Link(page string, parameters ...string) string {
	q := url.Values{}
	if lang := f.Lang(); lang != "" {
		q.Set("lang", lang)
	}
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			q.Set(parameters[i], parameters[i+1])
		}
	}
	return strings.TrimSuffix(page+"?"+q.Encode(), "?")
}

// Review returns the address of a comment, or of what can be done with it.
func (f frame) Review(id string, verb ...string) string {
	return f.Link(strings.Join(append([]string{pathComments + url.PathEscape(id)}, verb...), "/"))
}

// Product returns the entry of a product; its name is the id if the catalogue has none.
func (f frame) Product(id string) reviews.Entry {
	if f.catalogue != nil {
		if e := f.catalogue.Entry(id); e != nil {
			return *e
		}
	}
	return reviews.Entry{ProductID: id, Name: id}
}

// pages returns the addresses of the next page of a list and of its first one, empty for none.
func (f *frame) pages(more bool, cursor string) (next, start string) {
	page := func(after string) string {
		q := url.Values{}
		for name, values := range f.query {
			q[name] = values
		}
		if q.Del("after"); after != "" {
			q.Set("after", after)
		}
		return f.Page + "?" + q.Encode()
	}
	if more {
		next = page(cursor)
	}
	if f.query.Get("after") != "" {
		start = page("")
	}
	return next, start
}

// ask reads the data of a page. If the API does not answer, or not completely, it answers with a page
// that says so, and reports false: a page is complete, or it is not shown. Counts alone may be missing,
// as they are while the statistics are rebuilt.
func (h *Handler) ask(w http.ResponseWriter, r *http.Request, f *frame, document string, variables map[string]any, into any) bool {
	a, err := reviews.Execute(h.API, r, document, "", variables)
	a.Errors = slices.DeleteFunc(a.Errors, func(p reviews.Problem) bool {
		last := p.Path[max(0, len(p.Path)-1):]
		return len(last) == 1 && (last[0] == "counts" || last[0] == "totalCount")
	})
	if err == nil && len(a.Errors) == 0 {
		err = json.Unmarshal(a.Data, into)
	}
	if err == nil && len(a.Errors) == 0 {
		return true
	}
	h.fail(w, r, f, a, err)
	return false
}

// fail answers a request that the API refused with a page that says why.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, f *frame, a *reviews.Result, err error) {
	var status int
	status, f.Wrong = f.explain(a)
	if status == http.StatusServiceUnavailable {
		h.Log.WarnContext(r.Context(), "a page of the desk is not complete", "page", f.Page, "error", err, "problems", a.Errors)
		w.Header().Set("Retry-After", cmp.Or(a.Header.Get("Retry-After"), "5"))
	}
	h.show(w, r, "failed", f, status)
}

// statuses are the statuses of pages by the codes of errors; 503 for others.
var statuses = map[string]int{
	"BAD_USER_INPUT": http.StatusBadRequest, "UNAUTHENTICATED": http.StatusUnauthorized, "FORBIDDEN": http.StatusForbidden,
	"NOT_FOUND": http.StatusNotFound, "CONFLICT": http.StatusConflict, "RATE_LIMITED": http.StatusTooManyRequests,
}

// explain returns the status and the sentence for what the API refused.
func (f *frame) explain(a *reviews.Result) (status int, sentence string) {
	for _, p := range a.Errors {
		if status = statuses[p.Extensions.Code]; status != 0 {
			return status, f.Error(p.Extensions.Code, p.Extensions.Reason)
		}
	}
	return http.StatusServiceUnavailable, f.Error("UNAVAILABLE", "")
}

// show answers with a template.
func (h *Handler) show(w http.ResponseWriter, r *http.Request, name string, data any, status int) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		h.Log.ErrorContext(r.Context(), "a page of the desk could not be rendered", "page", name, "error", err)
		http.Error(w, labels(r).Text("failed"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", static.Types[".html"])
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}
