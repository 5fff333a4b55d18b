package moderation

import (
	"encoding/hex"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Decision is an entry of a comment's history: a transition from one state to another. Both are
// the same if a moderator keeps the state of a reported comment, or gives another reason.
type Decision struct {
	From, To item.State
	New      bool      // the comment was written: From means nothing
	By       string    // the subject of the person who decided; empty for a rule or if unknown
	At       time.Time // UTC
	PhotoID  string    // the photo that was removed; empty for other decisions
	item.Why           // of the new state; empty if none was given
	Origin   Origin    // of a rejection; empty for other decisions
}

// Origin is what led to a rejection, with the names of the API.
type Origin string

// The origins.
const (
	ByNotice Origin = "NOTICE" // of a person without a token
	ByReport Origin = "REPORT"
	ByRule   Origin = "RULE" // that held the comment
	ByReview Origin = "REVIEW"
)

// OriginOf returns what led to the rejection of a comment.
func OriginOf(before *item.Stored) Origin {
	switch {
	case before.Notices > 0:
		return ByNotice
	case before.Reports > 0 || IsHiddenByReports(before):
		return ByReport
	case before.State == item.Pending && slices.Contains(item.Rules, before.Code):
		return ByRule
	}
	return ByReview
}

// Ground is what a rejection rests on, with the names of the API.
type Ground string

// The grounds.
const (
	Law   Ground = "LAW"
	Terms Ground = "TERMS"
)

// Ground returns what a rejection rests on.
func (d Decision) Ground() Ground {
	if d.Code == "UNLAWFUL" {
		return Law
	}
	return Terms
}

// Attributes of a decision's item besides its keys.
const (
	attrFrom  = "from"  // S, absent of a new comment
	attrTo    = "to"    // S
	attrBy    = "by"    // S
	attrAt    = "at"    // S, RFC 3339
	attrPhoto = "photo" // S, absent unless a photo was removed
	attrLed   = "led"   // S, an Origin, absent unless the comment was rejected
)

// Entry returns the write of the item of a decision about a comment. The item's key contains the
// name of the comment's write, so a retry writes the same item.
func (d Decision) Entry(c *item.Stored, write item.Writes) table.Write {
	at := key.Position{CreatedAt: d.At, CommentID: hex.EncodeToString([]byte(write))}
	it := table.KeyOf(key.Case(c.ID), key.Decision(at))
	it[attrTo], it[attrAt] = table.S(d.To.String()), table.S(d.At.UTC().Format(time.RFC3339Nano))
	if !d.New {
		it[attrFrom] = table.S(d.From.String())
	}
	for name, value := range map[string]string{attrBy: d.By, attrPhoto: d.PhotoID, item.AttrReason: d.Reason, item.AttrCode: string(d.Code), attrLed: string(d.Origin)} {
		if value != "" {
			it[name] = table.S(value)
		}
	}
	item.WithBorn(it, c.Born)
	return table.Write{Put: it}
}

// DecisionOf returns the decision of an item.
func DecisionOf(it table.Item) (d Decision, err error) {
	var fine bool
	if d.To, fine = item.ParseState(table.Text(it, attrTo)); !fine {
		return d, table.Damaged(it, errs.Errorf(errs.Internal, "it is not a decision"))
	}
	from := table.Text(it, attrFrom)
	if d.From, fine = item.ParseState(from); !fine {
		d.From, d.New = d.To, true
	}
	if d.At, err = time.Parse(time.RFC3339Nano, table.Text(it, attrAt)); err != nil {
		return d, table.Damaged(it, err)
	}
	d.By, d.PhotoID, d.Origin = table.Text(it, attrBy), table.Text(it, attrPhoto), Origin(table.Text(it, attrLed))
	d.Why = item.Why{Code: item.Code(table.Text(it, item.AttrCode)), Reason: table.Text(it, item.AttrReason)}
	return d, nil
}

// DecidedBy returns the subject of the person who made a decision, "" if unknown.
func DecidedBy(it table.Item) string { return table.Text(it, attrBy) }

// Disowned returns the write that removes the person who made a decision from its item, refused if
// there is none. If an author withdrew a comment, it also removes the reason: it is the author's own text.
func Disowned(it table.Item) table.Write {
	w := table.Write{Key: table.Primary(it), Update: "REMOVE #by", If: "attribute_exists(#by)",
		Names: map[string]string{"#by": attrBy}}
	if table.Text(it, attrTo) == item.Withdrawn.String() {
		w.Update, w.Names["#why"] = "REMOVE #by, #why", item.AttrReason
	}
	return w
}
