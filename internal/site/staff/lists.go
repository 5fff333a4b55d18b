package staff

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"product-comments/store/comment/item"
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
	Short  bool   // the page ends before it is full, and others follow

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
	var a found
	if !h.ask(w, r, &p.frame, queueOperation, map[string]any{"first": shown, "after": p.query.Get("after"), "withReports": false}, &a) {
		return
	}
	p.count(a.counts, "PENDING", "")
	p.count(a.counts, "reported", p.Link(Path+"/reports"))
	p.count(a.counts, "REJECTED", p.Link(Path+"/reviews", "state", "REJECTED"))
	p.count(a.counts, "WITHDRAWN", p.Link(Path+"/reviews", "state", "WITHDRAWN"))
	p.add(a.Queue.Nodes, a.Queue.PageInfo.HasNextPage, a.Queue.PageInfo.EndCursor)
	h.show(w, r, "list", p, http.StatusOK)
}

// reports serves the comments that were reported: the published ones, or the hidden ones.
func (h *Handler) reports(w http.ResponseWriter, r *http.Request) {
	p := &listPage{frame: h.newFrame(r, "reports"), Many: true}
	p.Empty = p.Text("nothingReported")
	filter := map[string]any{"state": "PUBLISHED", "reported": true}
	if p.query.Get("state") == "hidden" {
		filter["state"] = "PENDING"
	}
	var a found
	if !h.ask(w, r, &p.frame, queueOperation, map[string]any{"queue": filter, "first": shown, "after": p.query.Get("after"), "withReports": true}, &a) {
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
}

func parseSelection(q url.Values) selection {
	s := selection{Product: q.Get("product"), Author: q.Get("author"), State: q.Get("state"), Language: q.Get("language"),
		From: q.Get("from"), To: q.Get("to"), Words: strings.TrimSpace(q.Get("words")), Photos: q.Get("photos") != "", Ratings: []int{}}
	for _, text := range q["rating"] {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 5 && !slices.Contains(s.Ratings, n) {
			s.Ratings = append(s.Ratings, n)
		}
	}
	return s
}

// Rated reports whether the selection has a rating.
func (s selection) Rated(n int) bool { return slices.Contains(s.Ratings, n) }

// list returns the operation that reads the selection, "" if there is none: the API has no list of the
// published comments of all products. The conditions are what the list's filter cannot say.
func (s selection) list() (document string, v map[string]any, conditions item.Conditions, err error) {
	filter := map[string]any{}
	if after, err := time.Parse(time.DateOnly, s.From); err == nil {
		filter["createdAfter"] = after
	}
	if last, err := time.Parse(time.DateOnly, s.To); err == nil && last.Year() < 9999 { // JSON has no later years
		filter["createdBefore"] = last.AddDate(0, 0, 1)
	}
	if s.Photos {
		filter["withPhotos"] = true
	}
	unpublished := s.State != "" && s.State != "PUBLISHED"
	if s.Author == "" && !unpublished {
		if s.Product == "" {
			return "", nil, conditions, nil
		}
		conditions.Words, err = item.ParseWords("words", &s.Words)
		return productOperation, map[string]any{"product": s.Product, "language": s.Language, "ratings": s.Ratings, "filter": filter}, conditions, err
	}
	filter["language"], filter["ratings"] = s.Language, s.Ratings
	if s.State != "" {
		filter["state"] = s.State
	}
	if s.Words != "" {
		filter["words"] = s.Words
	}
	if s.Author != "" {
		conditions.ProductID = s.Product
		return authorOperation, map[string]any{"author": s.Author, "authored": filter}, conditions, nil
	}
	if s.Product != "" {
		filter["productId"] = s.Product
	}
	return queueOperation, map[string]any{"queue": filter}, conditions, nil
}

// has reports whether a comment fulfils conditions.
func (c *comment) has(conditions item.Conditions) bool {
	return conditions.Has(&item.Comment{ProductID: c.Product.ProductID, Title: c.Title, Text: c.Text, Author: c.Author})
}

// reviews serves a selection of comments. Where the API has not all of its conditions, it looks through
// candidates, as the API does for others.
func (h *Handler) reviews(w http.ResponseWriter, r *http.Request) {
	p := &listPage{frame: h.newFrame(r, "reviews"), Selection: parseSelection(r.URL.Query()),
		States: []string{"PUBLISHED", "PENDING", "REJECTED", "WITHDRAWN"}, Ratings: []int{5, 4, 3, 2, 1}}
	document, v, conditions, err := p.Selection.list()
	if document == "" || err != nil {
		if p.Empty = p.Text("choose"); err != nil {
			p.Wrong = p.Error("BAD_USER_INPUT", "")
		}
		h.show(w, r, "list", p, http.StatusOK)
		return
	}
	p.Empty = p.Text("noneMatch")
	v["first"], v["after"], v["withReports"] = shown, p.query.Get("after"), false
	if conditions != (item.Conditions{}) {
		v["first"] = most
	}
	var nodes []comment
	for seen := 0; ; {
		var a found
		if !h.ask(w, r, &p.frame, document, v, &a) {
			return
		}
		list := a.connection()
		for i := range list.Nodes {
			if list.Nodes[i].has(conditions) {
				nodes = append(nodes, list.Nodes[i])
			}
		}
		seen, v["after"] = seen+len(list.Nodes), list.PageInfo.EndCursor
		if more := list.PageInfo.HasNextPage; !more || v["first"] == shown || len(nodes) >= shown || seen >= candidates {
			p.Short = more && len(nodes) < shown
			p.add(nodes, more, list.PageInfo.EndCursor)
			h.show(w, r, "list", p, http.StatusOK)
			return
		}
	}
}
