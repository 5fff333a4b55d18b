package staff

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"product-comments/internal/site/reviews"
)

// comment is a comment as the desk shows it.
type comment struct {
	reviews.Comment
	Version int
	Writer  *struct {
		Subject  string
		Comments struct{ Nodes []comment }
	} // nil for an imported comment
	State, HeldBy, RejectionCode, StateReason string

	ReportCount int
	Reports     []struct{ By, At, Reason, Name, Email string }
	History     []decision
	LookedAtBy  []struct{ By string }
}

// decision is a decision about a comment.
type decision struct{ From, To, By, At, Reason, HeldBy, RejectionCode, PhotoID string }

// connection is a page of a list.
type connection = pageOf[comment]

// pageOf is a page of a list.
type pageOf[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []T
}

// counts are the numbers of comments in the queue.
type counts struct {
	All *struct {
		Counts []struct {
			State string
			Count int
		}
	}
	Hidden *struct{ TotalCount *int }
}

// of returns a count for people: of a state, or of "reported", which are the comments with reports
// that are published or hidden; empty if it is not known.
func (c counts) of(f *frame, what string) string {
	if c.All == nil || c.All.Counts == nil || c.Hidden == nil || c.Hidden.TotalCount == nil {
		return ""
	}
	n := 0
	for _, one := range c.All.Counts {
		if one.State == what || one.State == "PUBLISHED" && what == "reported" {
			n = one.Count
		}
	}
	switch what {
	case "reported":
		n += *c.Hidden.TotalCount
	case "hidden":
		n = *c.Hidden.TotalCount
	}
	return f.Number(n)
}

// found is the answer to the operations that list comments, or read one.
type found struct {
	counts
	Queue   *connection
	Product *struct{ Comments *connection }
	User    *struct{ Comments *connection }
	Comment *comment
}

// connection returns the list that was asked for; an empty one if there is none.
func (a *found) connection() *connection {
	switch {
	case a.Queue != nil:
		return a.Queue
	case a.Product != nil && a.Product.Comments != nil:
		return a.Product.Comments
	case a.User != nil && a.User.Comments != nil:
		return a.User.Comments
	}
	return &connection{}
}

var (
	queueOperation   = document("queue")
	productOperation = document("product")
	authorOperation  = document("author")
	commentOperation = document("comment")
	writerOperation  = document("writer")
	lookOperation    = document("look")
)

// Moment returns the day and time of an instant in UTC.
func (f *frame) Moment(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return f.Text("moment", "day", f.Day(t.UTC().Format(time.RFC3339)), "time", t.UTC().Format("15:04"))
}

// Why returns why a comment is in its state, for people; empty for a published one.
func (f *frame) Why(heldBy, rejectionCode string) string {
	if heldBy != "" {
		return cmp.Or(f.Holds[heldBy], f.Holds["OTHER"])
	}
	if rejectionCode != "" {
		return cmp.Or(f.Rejections[rejectionCode], f.Rejections["OTHER"])
	}
	return ""
}

// Decided returns a decision as a sentence.
func (f *frame) Decided(d decision) string {
	if d.PhotoID != "" {
		return f.Text("said.photo")
	}
	return f.Text("state", "state", f.Text("state."+d.To), "why", f.Why(d.HeldBy, d.RejectionCode))
}

// card is a comment with what can be done.
type card struct {
	*frame
	C     comment
	Back  string            // where a decision leads
	Typed map[string]string // what was typed when a decision was refused
	Codes []string
}

// codes are the codes of rejections, in the order of the form.
var codes = []string{"SPAM", "OFFENSIVE", "PERSONAL_DATA", "OFF_TOPIC", "NOT_A_REVIEW", "NOT_GENUINE", "UNLAWFUL", "OTHER"}

// Card returns the data of the template card.
func (f *frame) Card(c comment) card { return card{frame: f, C: c, Back: f.address, Codes: codes} }

// Entry is the product of the comment.
func (c card) Entry() reviews.Entry { return c.Product(c.C.Product.ProductID) }

// Shown are links to the photos of the comment.
func (c card) Shown() any { return c.Thumbnails(c.C.Comment) }

// CanDecide reports whether a moderator can decide: an author's withdrawal is final.
func (c card) CanDecide() bool { return c.C.State != "WITHDRAWN" }

// CanApprove reports whether approval changes anything.
func (c card) CanApprove() bool { return c.C.State != "PUBLISHED" || c.C.ReportCount > 0 }

// Words are what a moderator or a rule said about the comment, unless Why says it all.
func (c card) Words() string {
	if c.C.State == "PENDING" && c.C.HeldBy != "WORD" && c.C.HeldBy != "OTHER" {
		return ""
	}
	return c.C.StateReason
}

// Do is the address of a form that does something with the comment.
func (c card) Do(verb string) string { return c.Review(c.C.CommentID, verb) }

// Earlier are the other comments of its author.
func (c card) Earlier() (all []card) {
	for _, other := range c.C.Writer.Comments.Nodes {
		if other.CommentID != c.C.CommentID {
			all = append(all, c.Card(other))
		}
	}
	return all
}

// commentPage is the data of the page of a comment.
type commentPage struct {
	frame
	Comment card
}

func (h *Handler) comment(w http.ResponseWriter, r *http.Request) {
	p := &commentPage{frame: h.newFrame(r, "review")}
	h.showComment(w, r, p, http.StatusOK)
}

// showComment shows the page of a comment, also after a decision that was refused.
func (h *Handler) showComment(w http.ResponseWriter, r *http.Request, p *commentPage, status int) {
	var a found
	if !h.ask(w, r, &p.frame, commentOperation, map[string]any{"id": r.PathValue("id"), "withReports": true}, &a) {
		return
	}
	if a.Comment == nil {
		p.Wrong = p.Error("NOT_FOUND", "")
		h.show(w, r, "failed", p, http.StatusNotFound)
		return
	}
	typed := p.Comment.Typed
	p.Comment = p.Card(*a.Comment)
	p.Comment.Typed = typed
	h.show(w, r, "comment", p, status)
}

// writer serves the column with the earlier comments of a comment's author, a fragment.
func (h *Handler) writer(w http.ResponseWriter, r *http.Request) {
	f := h.newFrame(r, "review")
	var a struct{ Comment *comment }
	if !h.ask(w, r, &f, writerOperation, map[string]any{"id": r.PathValue("id")}, &a) {
		return
	}
	if a.Comment == nil || a.Comment.Writer == nil {
		http.NotFound(w, r)
		return
	}
	h.show(w, r, "earlier", f.Card(*a.Comment), http.StatusOK)
}

// Looks returns who else looks at a comment, as a sentence; empty for none.
func (f *frame) Looks(c comment) string {
	names := make([]string, len(c.LookedAtBy))
	for i, look := range c.LookedAtBy {
		names[i] = look.By
	}
	if len(names) == 0 {
		return ""
	}
	return f.Text("looks", "name", strings.Join(names, ", "))
}

// look records that the person looks at a comment, and answers who else looks at those of the page, for
// the script.
func (h *Handler) look(w http.ResponseWriter, r *http.Request) {
	f := h.newFrame(r, "review")
	if !readForm(w, r, true) {
		return
	}
	var a struct {
		LookAtComment struct {
			Query struct{ Nodes []*comment }
		}
	}
	if !h.ask(w, r, &f, lookOperation, map[string]any{"input": map[string]any{"id": r.PathValue("id")}, "ids": r.PostForm["node"]}, &a) {
		return
	}
	looks := map[string]string{}
	for _, c := range a.LookAtComment.Query.Nodes {
		if c != nil {
			looks[c.CommentID] = f.Looks(*c)
		}
	}
	h.answer(w, r, http.StatusOK, outcome{Looks: looks}, func() { http.Redirect(w, r, Path, http.StatusSeeOther) })
}

// count returns a number of a form's field, nil for none.
func count(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return nil
}
