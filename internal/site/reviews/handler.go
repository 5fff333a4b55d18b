package reviews

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"product-comments/internal/site/static"
	"product-comments/store/key/invitations"
	"product-comments/store/orders/requests"
	"product-comments/store/read/cache"
)

//go:embed templates/*.html
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.html"))

// Templates returns the templates of sections, such as stars and photo, together with those in
// templates/*.html of another package.
func Templates(files fs.FS) *template.Template {
	return template.Must(template.Must(templates.Clone()).ParseFS(files, "templates/*.html"))
}

// Script and style are made from web/reviews before the build, and are not under version control.
// A binary that was built without them serves sections that are not styled.
//
//go:embed all:assets
var assetFiles embed.FS

// Options configure a Handler.
type Options struct {
	API http.Handler // serves GraphQL at /graphql
	Log *slog.Logger
	// Address is where clients reach this server, such as https://reviews.example, for fragments
	// that are part of pages of other servers. If it is empty, links have only a path.
	Address string
	// Catalogue has names, pictures and addresses of products; nil for none.
	Catalogue *Catalogue
	// Requests has the requests whose messages lead to invitations; nil for none.
	Requests Requests
	// Photos is whether the server takes photos.
	Photos bool
	// Policy says how reviews are collected and checked.
	Policy Policy
	// CacheControl is the Cache-Control header of sections; empty for no-store.
	CacheControl string
}

// Handler serves sections. All its answers except forms are the same for everyone.
type Handler struct {
	Options
	script   static.File
	style    static.File
	rendered *cache.Cache[string, rendered]
	mux      *http.ServeMux
}

// rendered is the HTML of a section.
type rendered struct {
	body []byte
	etag string
}

// renderedBytes bounds the memory of rendered sections.
const renderedBytes = 16 << 20

// renderedFor bounds the age of the parts of a rendered section that are not in its cache key:
// statistics of attributes, the product's photos, and the catalogue.
const renderedFor = 10 * time.Second

// New returns a Handler.
func New(o Options) *Handler {
	h := &Handler{Options: o, mux: http.NewServeMux()}
	h.rendered = cache.New(cache.Options[string, rendered]{MaxBytes: renderedBytes,
		Size: func(key string, r rendered) int { return len(key) + len(r.body) }})
	h.script, h.style = h.asset("reviews.js"), h.asset("reviews.css")
	for _, l := range sections.all {
		h.static("/reviews/labels/"+l.Tag+".json", l.json)
	}
	for path, name := range map[string]string{"/reviews/{product}": "page", "/reviews/{product}/section": "section"} {
		h.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, name) })
	}
	h.mux.HandleFunc("GET /reviews/{product}/form", h.emptyForm)
	h.mux.HandleFunc("POST /reviews/{product}", h.create)
	if h.Policy.Reporting {
		h.mux.HandleFunc("GET /reviews/{product}/report/{comment}", h.report)
		h.mux.HandleFunc("POST /reviews/{product}/report/{comment}", h.report)
	}
	h.mux.HandleFunc("GET "+invitations.Path+"{token}", h.invitation)
	h.mux.HandleFunc("POST "+invitations.Path+"{token}", h.write)
	if h.Requests != nil {
		h.mux.HandleFunc("GET "+requests.PathOptOut+"{token}", h.optOut)
		h.mux.HandleFunc("POST "+requests.PathOptOut+"{token}", h.optOut)
	}
	return h
}

// Paths are the paths that a server routes to a Handler, as patterns of http.ServeMux, in addition to
// requests.PathOptOut.
var Paths = []string{"/reviews/", "/reviews.js", "/reviews.css", invitations.Path}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", static.Policy)
	h.mux.ServeHTTP(w, r)
}

// asset returns a file of assets; it is empty if the build lacks it.
func (h *Handler) asset(name string) static.File {
	content, err := fs.ReadFile(assetFiles, "assets/"+name)
	if err != nil {
		content = nil
	}
	return h.static("/"+name, content)
}

// static serves a file for pages of any site.
func (h *Handler) static(path string, content []byte) static.File {
	f := static.New(path, content)
	f.Brief = "public, max-age=300"
	h.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		f.ServeHTTP(w, r)
	})
	return f
}

// newSection returns the data of the templates for a list.
func (h *Handler) newSection(product string, l list) *section {
	s := &section{Labels: LabelsFor(l.get("lang")), list: l, ProductID: product, Address: h.Address, policy: h.Policy}
	s.Script, s.Style, s.Uploads = h.script.URL(), h.style.URL(), h.Photos
	if s.catalogue = h.Catalogue; h.Catalogue != nil {
		s.Entry = h.Catalogue.Entry(product)
	}
	return s
}

// serve serves a list by a template: a whole page, or the section alone.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, name string) {
	id, query := r.PathValue("product"), r.URL.Query()
	l := parseList(query)
	s := h.newSection(id, l)
	a, err := h.ask(r, sectionOperation, "", l.variables(id, s.Tag))
	if a.refused() {
		l = l.all()
		s.list = l
		a, err = h.ask(r, sectionOperation, "", l.variables(id, s.Tag))
	}
	sum := sha256.Sum256(append([]byte(name+"\x00"+id+"\x00"+l.query()+"\x00"), a.Data...))
	key := string(sum[:])
	if known, ok := h.rendered.Get(key); ok && err == nil && !query.Has("form") {
		h.answer(w, r, known, http.StatusOK)
		return
	}
	status := http.StatusOK
	var data struct{ Product *product }
	if err == nil {
		err = json.Unmarshal(a.Data, &data)
	}
	if s.Product = data.Product; s.Product != nil && l.ofFamily() {
		if s.Product.Attributes = nil; s.Product.Family == nil && err == nil { // it has none
			target := *r.URL
			target.RawQuery = strings.TrimPrefix(l.without("family").query(), "?")
			http.Redirect(w, r, target.RequestURI(), http.StatusSeeOther)
			return
		}
		if s.Product.Family != nil {
			s.Product.reviewed = *s.Product.Family
		}
	}
	if err != nil || s.Product == nil || s.Product.Comments == nil {
		if status = a.Status; status < http.StatusBadRequest {
			status = http.StatusServiceUnavailable
		}
		h.Log.DebugContext(r.Context(), "a section of reviews is not complete", "product", id, "error", err)
	}
	if s.Product != nil {
		s.Averages = s.averages(h.attributeStats(r, s.Product))
		if !l.ofFamily() {
			s.Strip = h.strip(r, s)
		}
		s.canonical()
	}
	if query.Has("form") {
		s.Form = &form{}
	}
	out, ok := h.render(w, r, name, s, s)
	if !ok {
		return
	}
	if status == http.StatusOK {
		if s.Form == nil {
			h.rendered.Set(key, out, time.Now().Add(renderedFor))
		}
	} else if v := a.Header.Get("Retry-After"); v != "" {
		w.Header().Set("Retry-After", v)
	}
	h.answer(w, r, out, status)
}

// render executes a template with data about a section. If that fails, it answers and reports false.
func (h *Handler) render(w http.ResponseWriter, r *http.Request, name string, s *section, data any) (rendered, bool) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		h.Log.ErrorContext(r.Context(), "a section of reviews could not be rendered", "product", s.ProductID, "error", err)
		http.Error(w, s.Text("failed"), http.StatusInternalServerError)
		return rendered{}, false
	}
	sum := sha256.Sum256(b.Bytes())
	return rendered{b.Bytes(), `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}, true
}

// answer writes a section, or status 304 if the client has it.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, of rendered, status int) {
	head := w.Header()
	head.Set("Content-Type", static.Types[".html"])
	if status == http.StatusOK && h.CacheControl != "" && of.etag != "" {
		head.Set("Cache-Control", h.CacheControl)
		head.Set("ETag", of.etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(of.body))
		return
	}
	head.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(of.body) // the client may be gone
}

// maxAverages is the maximum number of attributes with statistics in a section.
const maxAverages = 6

// attributeStats reads the statistics of a product's first attributes, by key; nil if they are not
// available.
func (h *Handler) attributeStats(r *http.Request, p *product) map[string]attributeStats {
	var keys []string
	for _, a := range p.Attributes {
		if a.Type != "TEXT" && a.Type != "DATE" && len(keys) < maxAverages {
			keys = append(keys, a.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	names := []string{"a", "b", "c", "d", "e", "f"}
	v := map[string]any{"product": p.ProductID}
	for i, name := range names {
		v[name] = keys[min(i, len(keys)-1)]
		if i > 0 {
			v[fmt.Sprint("n", i)] = i < len(keys)
		}
	}
	a, err := h.ask(r, attributesOperation, "", v)
	if err != nil {
		return nil
	}
	var of struct{ Product map[string]*attributeStats }
	if json.Unmarshal(a.Data, &of) != nil {
		return nil
	}
	all := map[string]attributeStats{}
	for i, key := range keys {
		if s := of.Product[names[i]]; s != nil {
			all[key] = *s
		}
	}
	return all
}

// canonical sets the address of the page in search engines. Filters, other orders and products
// without comments are not for them.
func (s *section) canonical() {
	if !s.list.plain() || s.Product.Comments == nil || len(s.Product.Comments.Nodes) == 0 {
		return
	}
	s.Canonical = s.Address + "/reviews/" + url.PathEscape(s.ProductID)
	if q := s.list.query(); q != "?" {
		s.Canonical += q
	}
}
