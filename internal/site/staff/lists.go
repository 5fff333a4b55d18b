package staff

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shown is the length of a page, most that of a page of candidates, of which at most candidates are
// looked at.
const (
	shown      = 20
	most       = 100
	candidates = 500
)

// listPage is the data of a page with cards.
type listPage struct {
	frame
	Cards  []card
	Totals []countOf
	Next   string // address of the next page, empty for none
	Start  string // of the first page, empty on it
	Empty  string // the sentence for a page without cards
	Many   bool   // several can be decided at once
	Seen   string // how many candidates were looked at, empty if the list needed none

	Selection selection // of the page Reviews
	States    []string
	Ratings   []int
}

// countOf is a count with its label, and the link to its comments.
type countOf struct {
	What, Text, Count, Href string
	On                      bool
}

// count adds a count to the page.
func (p *listPage) count(c counts, what, href string) {
	p.Totals = append(p.Totals, countOf{what, p.Text("state." + what), c.of(&p.frame, what), href, href == p.address})
}

// add adds the cards of a list, and the links to its other pages.
func (p *listPage) add(nodes []comment, more bool, cursor string) {
	for _, c := range nodes {
		p.Cards = append(p.Cards, p.Card(c))
	}
	p.Next, p.Start = p.pages(more, cursor)
}

// queue serves the comments that wait, the oldest first.
func (h *Handler) queue(w http.ResponseWriter, r *http.Request) {
	p := &listPage{frame: h.newFrame(r, "queue"), Many: true}
	p.Empty = p.Text("nothingWaits")
	a, ok := h.find(w, r, &p.frame, map[string]any{"byState": true, "first": shown, "after": p.query.Get("after")})
	if !ok {
		return
	}
	p.count(a.counts, "PENDING", "")
	p.count(a.counts, "reported", p.Link(Path+"/reports"))
	p.count(a.counts, "REJECTED", p.Link(Path+"/reviews", "state", "REJECTED"))
	p.count(a.counts, "WITHDRAWN", p.Link(Path+"/reviews", "state", "WITHDRAWN"))
	p.add(a.Queue.Nodes, a.Queue.PageInfo.HasNextPage, a.Queue.PageInfo.EndCursor)
	h.show(w, r, "list", p, http.StatusOK)
}

// reports serves the comments that were reported: published ones, or those that reports have hidden.
func (h *Handler) reports(w http.ResponseWriter, r *http.Request) {
	p := &listPage{frame: h.newFrame(r, "reports"), Many: true}
	p.Empty = p.Text("nothingReported")
	filter := map[string]any{"state": "PUBLISHED", "reported": true}
	if p.query.Get("state") == "hidden" {
		filter["state"] = "PENDING"
	}
	a, ok := h.find(w, r, &p.frame, map[string]any{"byState": true, "queue": filter, "first": shown, "after": p.query.Get("after"), "withReports": true})
	if !ok {
		return
	}
	p.count(a.counts, "PUBLISHED", p.Link(p.Page))
	p.count(a.counts, "hidden", p.Link(p.Page, "state", "hidden"))
	for i := range p.Totals {
		p.Totals[i].On = (i == 1) == (filter["state"] == "PENDING")
	}
	p.add(a.Queue.Nodes, a.Queue.PageInfo.HasNextPage, a.Queue.PageInfo.EndCursor)
	h.show(w, r, "list", p, http.StatusOK)
}

// selection is what the page Reviews selects, as its address has it.
type selection struct {
	Product, Author, State, Language, From, To, Words string
	Ratings                                           []int
	Photos                                            bool

	after, before time.Time // of From and To; zero for none
}

func parseSelection(q url.Values) selection {
	s := selection{Product: q.Get("product"), Author: q.Get("author"), State: q.Get("state"), Language: q.Get("language"),
		From: q.Get("from"), To: q.Get("to"), Words: strings.TrimSpace(q.Get("words")), Photos: q.Get("photos") != ""}
	for _, text := range q["rating"] {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 5 && !slices.Contains(s.Ratings, n) {
			s.Ratings = append(s.Ratings, n)
		}
	}
	s.after, _ = time.Parse(time.DateOnly, s.From)
	if last, err := time.Parse(time.DateOnly, s.To); err == nil {
		s.before = last.AddDate(0, 0, 1)
	}
	return s
}

// Rated reports whether the selection has a rating.
func (s selection) Rated(n int) bool { return slices.Contains(s.Ratings, n) }

// variables returns those of the operation StaffList, nil if there is no such list: the API has no
// list of the published comments of all products. Of an author's list it has few filters, so match
// has them all.
func (s selection) variables() map[string]any {
	filter := map[string]any{}
	if !s.after.IsZero() {
		filter["createdAfter"] = s.after
	}
	if !s.before.IsZero() {
		filter["createdBefore"] = s.before
	}
	switch unpublished := s.State != "" && s.State != "PUBLISHED"; {
	case s.Author != "":
		if s.State != "" {
			filter["state"] = s.State
		}
		return map[string]any{"byAuthor": true, "author": s.Author, "authored": filter}
	case unpublished:
		return map[string]any{"byState": true, "queue": map[string]any{"state": s.State, "language": s.Language}}
	case s.Product != "":
		if s.Photos {
			filter["withPhotos"] = true
		}
		return map[string]any{"byProduct": true, "product": s.Product, "language": s.Language, "ratings": s.Ratings, "filter": filter}
	}
	return nil
}

// match reports whether the selection has a comment.
func (s selection) match(c *comment) bool {
	at, _ := time.Parse(time.RFC3339, c.CreatedAt)
	text := strings.ToLower(c.Title + "\n" + c.Text + "\n" + c.Author)
	for word := range strings.FieldsSeq(strings.ToLower(s.Words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return (s.Product == "" || c.Product.ProductID == s.Product) &&
		(s.Language == "" || strings.EqualFold(c.Language, s.Language)) &&
		(len(s.Ratings) == 0 || s.Rated(c.Rating)) &&
		(!s.Photos || len(c.Photos) > 0) && !at.Before(s.after) && (s.before.IsZero() || at.Before(s.before))
}

// reviews serves a selection of comments. Where the API cannot select them, it looks at so many
// candidates.
func (h *Handler) reviews(w http.ResponseWriter, r *http.Request) {
	p := &listPage{frame: h.newFrame(r, "reviews"), Selection: parseSelection(r.URL.Query()),
		States: []string{"PUBLISHED", "PENDING", "REJECTED", "WITHDRAWN"}, Ratings: []int{5, 4, 3, 2, 1}}
	v, after := p.Selection.variables(), p.query.Get("after")
	if v == nil {
		p.Empty = p.Text("choose")
		h.show(w, r, "list", p, http.StatusOK)
		return
	}
	p.Empty = p.Text("noneMatch")
	v["first"] = shown
	var nodes []comment
	for seen, size := 0, shown; ; {
		v["after"], v["first"] = after, size
		a, ok := h.find(w, r, &p.frame, v)
		if !ok {
			return
		}
		list := a.connection()
		for i := range list.Nodes {
			if p.Selection.match(&list.Nodes[i]) {
				nodes = append(nodes, list.Nodes[i])
			}
		}
		seen, after = seen+len(list.Nodes), list.PageInfo.EndCursor
		if more := list.PageInfo.HasNextPage; len(nodes) >= shown || !more || seen >= candidates {
			if len(nodes) < seen {
				p.Seen = p.Labels.Count("seen", seen)
			}
			p.add(nodes, more, after)
			h.show(w, r, "list", p, http.StatusOK)
			return
		}
		size = min(most, candidates-seen) // the first page showed that few match
	}
}
