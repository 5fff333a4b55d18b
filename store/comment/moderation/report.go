package moderation

import (
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Report is a user's report of a comment.
type Report struct {
	By     string // the subject of the person who reported it
	At     time.Time
	Reason string // empty if none was given
	// Contact has the sealed name and address of a person without a token; see cases.Cases.Contact.
	Contact []byte
}

const attrContact = "contact" // B, sealed

// Notice is a report by a person without a token, as article 16 of the Digital Services Act asks.
type Notice struct{ Name, Email, Reason string }

// MaxNoticeName bounds the name of a Notice, in characters.
const MaxNoticeName = 100

// Validate returns an error for each invalid field, and gives the address its one spelling.
func (n *Notice) Validate(email func(field, text string) (string, error)) (err error) {
	n.Name, n.Reason = item.Said(n.Name), item.Said(n.Reason)
	name := item.ValidateLine("notice.name", n.Name, MaxNoticeName)
	if n.Name == "" {
		name = errs.Invalid("notice.name", "it is empty: give your name").For(errs.Required)
	}
	n.Email, err = email("notice.email", n.Email)
	return errs.Join(item.ValidateReason("reason", n.Reason, true), name, err)
}

// Forgotten returns the write that removes the contact from the item of a report.
func Forgotten(it table.Item) table.Write {
	return table.Write{Key: table.Primary(it), Update: "REMOVE #contact", If: "attribute_exists(#contact)",
		Names: map[string]string{"#contact": attrContact}}
}

// HasContact reports whether an item is a report with a contact.
func HasContact(it table.Item) bool { return it[attrContact] != nil }

// Entry returns the write of a report's item, on the condition that its reporter has not reported
// the comment yet. It replaces a report of an earlier comment with the same id.
func (r Report) Entry(c *item.Stored) table.Write {
	it := ReportKey(c.ID, r.By)
	it[attrAt] = table.S(r.At.UTC().Format(time.RFC3339Nano))
	if r.Contact != nil { // its person makes no other report
		it[attrContact] = table.B(r.Contact)
	} else {
		it[key.GSI4PK] = table.S(key.ReportsBy(r.By).Value)
		it[key.GSISK] = table.S(key.Position{CreatedAt: r.At, CommentID: c.ID}.SortKey())
	}
	if r.Reason != "" {
		it[item.AttrReason] = table.S(r.Reason)
	}
	item.WithBorn(it, c.Born)
	return table.Write{
		Put: it, If: "attribute_not_exists(#born) OR #born <> :born",
		Names: map[string]string{"#born": item.AttrBorn}, Values: table.Item{":born": it[item.AttrBorn]},
	}
}

// IsHiddenByReports reports whether a comment waits for a moderator because of reports.
func IsHiddenByReports(c *item.Stored) bool {
	return c.State == item.Pending && c.Code == item.HeldByReports
}

// ReportKey returns the key of a person's report of a comment.
func ReportKey(commentID, by string) table.Item {
	return table.KeyOf(key.Case(commentID), key.Report(by))
}

// ReportOf returns the report in an item.
func ReportOf(it table.Item) (Report, error) {
	by, _ := key.ReportOf(table.Text(it, key.SK))
	at, err := time.Parse(time.RFC3339Nano, table.Text(it, attrAt))
	if err != nil {
		return Report{}, table.Damaged(it, err)
	}
	return Report{by, at, table.Text(it, item.AttrReason), table.Bytes(it, attrContact)}, nil
}
