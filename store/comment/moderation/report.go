package moderation

import (
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Report is a user's report of a comment.
type Report struct {
	By     string // the subject of the person who reported it
	At     time.Time
	Reason string // empty if none was given
}

// Entry returns the write of a report's item, on the condition that its reporter has not reported
// the comment yet. It replaces a report of an earlier comment with the same id.
func (r Report) Entry(c *item.Stored) table.Write {
	it := ReportKey(c.ID, r.By)
	it[attrAt] = table.S(r.At.UTC().Format(time.RFC3339Nano))
	it[key.GSI4PK] = table.S(key.ReportsBy(r.By).Value)
	it[key.GSISK] = table.S(key.Position{CreatedAt: r.At, CommentID: c.ID}.SortKey())
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
	return Report{by, at, table.Text(it, item.AttrReason)}, nil
}
