// Package shop serves the demo as a shop: a page with its products and their stars, a page for each
// product, which includes the section of reviews as any shop would, and for moderators the webhooks that
// the shop gets, the mails that it sends and a way to the desk. It shows how a shop uses the service, so
// it knows only what a shop knows: paths, tokens and a secret.
package shop

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"product-comments/internal/site/reviews"
	"product-comments/internal/site/static"
)

//go:embed pages
var files embed.FS

// english has the sentences and numbers of the section, so that the pages have the same ones.
var english = reviews.LabelsFor("en")

var pages = template.Must(template.New("").Funcs(template.FuncMap{"text": english.Text}).ParseFS(files, "pages/*.html"))

// Shop serves a shop.
type Shop struct {
	Service  http.Handler // serves /graphql and /reviews/
	Products []reviews.Entry
	// Tokens returns the tokens of an author and a moderator that the pages may have, by the names of
	// roles in paths. Everyone who opens a page sees its token. That of a service is for the shop's own
	// calls.
	Tokens func(*http.Request) map[string]string
	Log    *slog.Logger
	// SignIn signs a moderator in to the desk of the staff, and leads there; nil without a desk.
	SignIn http.HandlerFunc
	// Receiver gets the shop's webhooks, which moderators see; nil for none.
	Receiver *Receiver
	// Mails returns the shop's newest mails, which moderators see; nil for none.
	Mails func(most int) ([]Mail, error)
}

// service is the role of the shop's own program.
const service = "service"

// shown is how many products the first page has.
const shown = 24

// Register adds the shop's paths to a mux.
func (s *Shop) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.category)
	mux.HandleFunc("GET /as/{role}/{$}", s.category)
	mux.HandleFunc("GET /product/{id}", s.product)
	mux.HandleFunc("GET /as/{role}/product/{id}", s.product)
	if s.Receiver != nil {
		mux.HandleFunc("GET /as/{role}/events", s.events)
		mux.Handle("POST "+HooksPath, s.Receiver)
	}
	if s.Mails != nil {
		mux.HandleFunc("GET /as/{role}/outbox", s.outbox)
		mux.HandleFunc("GET /as/{role}/outbox/{at}", s.mail)
	}
	mux.HandleFunc("POST /as/moderator/guest/{id}", s.guest)
	mux.HandleFunc("POST /as/moderator/staff", func(w http.ResponseWriter, r *http.Request) {
		if s.SignIn == nil || s.Tokens(r)["moderator"] == "" || sameOrigin.Check(r) != nil {
			http.NotFound(w, r)
			return
		}
		s.SignIn(w, r)
	})
	mux.HandleFunc("GET /shop/{picture}", picture)
	css, _ := files.ReadFile("pages/shop.css") // embedded
	style := static.New("/shop/shop.css", css)
	style.Brief = public
	mux.Handle("GET /shop/shop.css", style)
}

// page is what templates show.
type page struct {
	Role, Token, Prefix string // the role of the person, empty for a visitor
	Path                string // of the page without the role
	Roles               []string
	Title               string
	Products            []product
	Product             product
	Section             template.HTML
	Receives            bool // whether there is a page of events
	Events              []event
	Sends               bool // whether there is a page of mails
	Mails               []Mail
	Desk                bool // whether there is a desk for moderators
	Invites             bool // whether there is a button for a guest's link
}

// product is a product with its rating.
type product struct {
	reviews.Entry
	Reviews string // how many there are
	Rating  string // for people who do not see the stars
	Stars   int    // tenths, in steps of five; 0 for none
	Price   string
}

// newPage returns a page for the role in a request's path; ok is false if there is no such role.
func (s *Shop) newPage(r *http.Request, path string) (p page, ok bool) {
	tokens := s.Tokens(r)
	p = page{Role: r.PathValue("role"), Path: path, Receives: s.Receiver != nil, Sends: s.Mails != nil, Desk: s.SignIn != nil}
	for _, role := range []string{"author", "moderator"} {
		if tokens[role] != "" {
			p.Roles = append(p.Roles, role)
		}
	}
	if p.Role != "" {
		p.Token, p.Prefix = tokens[p.Role], "/as/"+p.Role
	}
	p.Invites = p.Role == "moderator" && tokens[service] != ""
	return p, p.Role == "" || slices.Contains(p.Roles, p.Role)
}

func (s *Shop) category(w http.ResponseWriter, r *http.Request) {
	p, ok := s.newPage(r, "/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	p.Title = "Backpacks"
	ids := make([]string, 0, shown)
	for _, e := range s.Products[:min(shown, len(s.Products))] {
		p.Products = append(p.Products, newProduct(e))
		ids = append(ids, e.ProductID)
	}
	body, _ := json.Marshal(map[string]any{ // texts can be marshaled
		"query":     `query ShopCategory($ids: [ID!]!) { products(ids: $ids) { stats { totalCount averageRating } } }`,
		"variables": map[string]any{"ids": ids},
	})
	var answer struct {
		Data struct {
			Products []*struct {
				Stats *struct {
					TotalCount    int
					AverageRating *float64
				}
			}
		}
	}
	got := reviews.Ask(s.Service, r, http.MethodPost, "/graphql", "", body)
	if err := json.Unmarshal(got.Bytes(), &answer); err != nil {
		s.Log.DebugContext(r.Context(), "the products have no stars now", "error", err)
	}
	for i := range p.Products {
		one := &p.Products[i]
		one.Reviews = english.Text("countsMissing")
		if i >= len(answer.Data.Products) || answer.Data.Products[i] == nil || answer.Data.Products[i].Stats == nil {
			continue
		}
		one.Reviews = english.Text("empty")
		if of := answer.Data.Products[i].Stats; of.AverageRating != nil {
			one.Reviews, one.Rating = english.Count("reviews", of.TotalCount), english.Text("stars", "n", *of.AverageRating)
			one.Stars = reviews.Stars(*of.AverageRating)
		}
	}
	s.render(w, r, "category.html", p)
}

func (s *Shop) product(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	p, ok := s.newPage(r, "/product/"+url.PathEscape(id))
	for _, e := range s.Products {
		if e.ProductID == id {
			p.Product = newProduct(e)
		}
	}
	if p.Title = p.Product.Name; !ok || p.Title == "" {
		http.NotFound(w, r)
		return
	}
	// What a shop does on its server: it includes the section, with the query of its own page.
	section := reviews.Ask(s.Service, r, http.MethodGet, "/reviews/"+id+"/section?"+r.URL.RawQuery, "", nil)
	p.Section = template.HTML(section.String()) // this service escapes what it renders
	s.render(w, r, "product.html", p)
}

// public is the Cache-Control of files.
const public = "public, max-age=300"

// picture serves the picture of a product.
func picture(w http.ResponseWriter, r *http.Request) {
	id, ok := strings.CutSuffix(r.PathValue("picture"), ".svg")
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", public)
	w.Header().Set("Content-Type", static.Types[".svg"])
	_ = pages.ExecuteTemplate(w, "picture.html", coloursOf(id)) // the client may be gone
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; frame-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *Shop) render(w http.ResponseWriter, r *http.Request, name string, p page) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, p); err != nil {
		s.Log.ErrorContext(r.Context(), "a page of the shop could not be rendered", "error", err)
		http.Error(w, "This page cannot be shown now.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", static.Types[".html"])
	h.Set("Cache-Control", "no-store") // it has tokens
	h.Set("Content-Security-Policy", policy)
	_, _ = w.Write(b.Bytes())
}

// newProduct adds a price to a product, which is always the same.
func newProduct(e reviews.Entry) product {
	return product{Entry: e, Price: fmt.Sprintf("€ %d.90", 39+hashOf(e.ProductID)%90)}
}

func hashOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // writing to a hash cannot fail
	return int(h.Sum32() >> 1)
}

// colours are the hues of a product's picture, and the height of its flap.
type colours struct{ Hue, Second, Height int }

func coloursOf(id string) colours {
	h := hashOf(id)
	return colours{h % 360, (h%360 + 30 + h%60) % 360, 100 + h%40}
}
