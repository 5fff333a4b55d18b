package store

import (
	"context"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/table"
)

// TraceKind is what an item has to do with a person.
type TraceKind string

// The kinds.
const (
	TraceComment  TraceKind = "comment"  // they wrote it
	TraceOrder    TraceKind = "order"    // they placed it
	TracePurchase TraceKind = "purchase" // they bought a product
	TraceProfile  TraceKind = "profile"  // they are a customer
	TraceVote     TraceKind = "vote"     // they voted on a comment
	TraceReport   TraceKind = "report"   // they reported a comment
	TraceDecision TraceKind = "decision" // they decided about a comment
	TraceOther    TraceKind = "other"    // what follows from others: marks of who wrote what, how often they wrote lately
)

// Trace is an item that names a person.
type Trace struct {
	Kind            TraceKind
	CommentID       string // of comments and marks of who wrote them, votes, reports and decisions
	OrderID         string // of orders
	ProductID       string // of purchases
	Item            table.Item
	inUserPartition bool // it stands in the person's own partition, not next to a comment
}

// Key returns the key of the item, its two parts.
func (tr Trace) Key() []string {
	return []string{table.Text(tr.Item, key.PK), table.Text(tr.Item, key.SK)}
}

// traceOf tells what an item of the table has to do with a person.
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
	default:
		return tr, false
	}
	return tr, true
}

// ScanOptions say how what reads the whole table goes about it.
type ScanOptions = table.ScanOptions

// TracesOf calls each with everything in the table that names a person, by the subject of
// their tokens: one call at a time. It reads the whole table, since what a user voted
// on, reported or decided is kept with comments. It returns BadUserInput for a subject that
// cannot be, the first error of each, or an Unavailable error if the store does not answer.
func (s *Store) TracesOf(ctx context.Context, subject string, o ScanOptions, each func(context.Context, Trace) error) error {
	if subject == "" { // whose everything is that has no owner
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

// CommentOf returns the comment of a trace, whole, in whatever state it is.
func (s *Store) CommentOf(ctx context.Context, tr Trace) (Comment, error) {
	c, err := s.read(ctx, tr.Item)
	return c.Comment, err
}
