package moderation

import (
	"context"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// DecidedBy returns the subject of the person who made a decision, "" if unknown.
func DecidedBy(it table.Item) string { return table.Text(it, attrBy) }

// ReportOf returns the report in an item.
func ReportOf(it table.Item) (Report, error) {
	by, _ := key.ReportOf(table.Text(it, key.SK))
	at, err := time.Parse(time.RFC3339Nano, table.Text(it, attrAt))
	if err != nil {
		return Report{}, table.Damaged(it, err)
	}
	return Report{by, at, table.Text(it, item.AttrReason)}, nil
}

// Disown removes the person who made a decision from its item. If an author withdrew a comment, it
// also removes the reason: it is the author's own text.
func (m *Moderation) Disown(ctx context.Context, it table.Item) error {
	w := table.Write{Key: table.Primary(it), Update: "REMOVE #by", If: "attribute_exists(#by)",
		Names: map[string]string{"#by": attrBy}}
	if table.Text(it, attrTo) == item.Withdrawn.String() {
		w.Update, w.Names["#why"] = "REMOVE #by, #why", item.AttrReason
	}
	err := m.t.Write(ctx, "erase the user of a decision", w)
	if _, gone := table.IsRefused(err); gone {
		return nil
	}
	return err
}
