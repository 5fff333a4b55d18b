package store

import (
	"context"
	"strings"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/index/cases"
	"product-comments/store/index/photos"
	"product-comments/store/key"
	"product-comments/store/table"
)

// TraceKind is the relation of an item to a person.
type TraceKind string

// The kinds.
const (
	TraceComment  TraceKind = "comment"  // they wrote it
	TraceOrder    TraceKind = "order"    // they placed it
	TracePurchase TraceKind = "purchase" // they bought a product
	TraceProfile  TraceKind = "profile"  // they are a customer
	TracePhoto    TraceKind = "photo"    // they uploaded it, and no comment has taken it
	TraceVote     TraceKind = "vote"     // they voted on a comment
	TraceReport   TraceKind = "report"   // they reported a comment
	TraceDecision TraceKind = "decision" // they decided about a comment
	TraceOther    TraceKind = "other"    // marks and entries of comments, the times of recent comments, and looks at comments
)

// Trace is an item that names a person.
type Trace struct {
	Kind            TraceKind
	CommentID       string // of comments, marks, votes, reports and decisions
	OrderID         string // of orders
	ProductID       string // of purchases
	Item            table.Item
	inUserPartition bool // in the person's own partition, not in a comment's
}

// Key returns the item's partition key and sort key.
func (tr Trace) Key() []string {
	return []string{table.Text(tr.Item, key.PK), table.Text(tr.Item, key.SK)}
}

// traceOf returns the relation of an item to a person. ok is false if there is none.
func traceOf(it table.Item, subject string) (tr Trace, ok bool) {
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	tr = Trace{Kind: TraceOther, Item: it}
	if pk == key.User(subject) {
		tr.inUserPartition = true
		if id, ok := key.OrderID(sk); ok {
			tr.Kind, tr.OrderID = TraceOrder, id
		} else if _, product, ok := key.BoughtBy(pk, sk); ok {
			tr.Kind, tr.ProductID = TracePurchase, product
		} else if sk == key.Profile {
			tr.Kind = TraceProfile
		} else if at, ok := item.MarkedBy(it); ok {
			tr.CommentID = at.CommentID
		} else if _, at, ok := key.ParseAuthored(sk); ok {
			tr.CommentID = at.CommentID
		}
		return tr, true
	}
	if id, isComment := key.CommentID(pk); isComment && table.Text(it, item.AttrOwner) == subject {
		tr.Kind, tr.CommentID = TraceComment, id
		return tr, true
	}
	if _, uploaded := photos.UploadedBy(it, subject); uploaded {
		tr.Kind = TracePhoto
		return tr, true
	}
	if id, isVote := key.VotesOf(pk); isVote && sk == string(key.VoterOf(subject)) {
		tr.Kind, tr.CommentID = TraceVote, id
		return tr, true
	}
	id, isCase := key.CaseOf(pk)
	tr.CommentID = id
	switch {
	case isCase && sk == key.Report(subject):
		tr.Kind = TraceReport
	case isCase && strings.HasPrefix(sk, key.DecisionPrefix) && moderation.DecidedBy(it) == subject:
		tr.Kind = TraceDecision
	case isCase && cases.IsLook(it, subject):
		tr.CommentID = "" // it is no mark
	default:
		return tr, false
	}
	return tr, true
}

// ScanOptions configure a scan of the whole table.
type ScanOptions = table.ScanOptions

// TracesOf calls each for every item that names a person, given the subject of their tokens; calls
// do not overlap. It scans the whole table, since votes, reports and decisions are stored with
// their comments. It returns BadUserInput for an invalid subject, the first error of each.
func (s *Store) TracesOf(ctx context.Context, subject string, o ScanOptions,
	each func(context.Context, Trace) error) error {
	if subject == "" { // it would match every item without an owner
		return errs.Invalid("subject", "it is empty").For(errs.Required)
	}
	ctx = table.Patiently(ctx)
	one := make(chan struct{}, 1)
	return s.t.NewScanner(o).Run(ctx, func(ctx context.Context, it table.Item) error {
		tr, ok := traceOf(it, subject)
		if !ok {
			return nil
		}
		one <- struct{}{}
		defer func() { <-one }()
		return each(ctx, tr)
	})
}

// CommentOf returns the whole comment of a trace, in any state.
func (s *Store) CommentOf(ctx context.Context, tr Trace) (Comment, error) {
	c, err := s.read(tr.Item)
	return c.Comment, err
}
