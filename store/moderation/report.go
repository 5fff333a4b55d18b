package moderation

import (
	"context"
	"time"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Report is what somebody has against a comment.
type Report struct {
	By     string // the subject of who reported it
	At     time.Time
	Reason string // empty if none was given
}

// Entry returns the item that keeps a report of a comment, on the condition that its
// reporter has none yet.
func (r Report) Entry(commentID string) table.Write {
	it := reportKey(commentID, r.By)
	it[attrAt] = table.S(r.At.UTC().Format(time.RFC3339Nano))
	if r.Reason != "" {
		it[attrReason] = table.S(r.Reason)
	}
	return table.Write{Put: it, If: table.Absent}
}

func reportKey(commentID, by string) table.Item {
	return table.KeyOf(key.Case(commentID), key.Report(by))
}

// Reported tells whether somebody reported a comment, strongly consistent. It returns an
// Unavailable error if the store does not answer.
func (m *Moderation) Reported(ctx context.Context, commentID, by string) (bool, error) {
	it, err := m.t.Get(ctx, "the report", reportKey(commentID, by))
	return it != nil, err
}

// caseItems is how many entries of a comment's history, or reports, are read: nobody
// looks at more.
const caseItems = 200

// History reads the last decisions about a comment, newest first and at most 200,
// strongly consistent: a read unit for some thirty. It returns an Unavailable error if
// the store does not answer.
func (m *Moderation) History(ctx context.Context, commentID string) (history []Decision, err error) {
	after, until := key.Decisions()
	err = m.ofCase(ctx, commentID, after, until, func(it table.Item) error {
		d, err := parseDecision(it)
		history = append(history, d)
		return err
	})
	return history, err
}

// Reports reads the reports of a comment, at most 200, in no order, as History does.
func (m *Moderation) Reports(ctx context.Context, commentID string) (reports []Report, err error) {
	after, until := key.Reports()
	err = m.ofCase(ctx, commentID, after, until, func(it table.Item) error {
		r, err := ReportOf(it)
		reports = append(reports, r)
		return err
	})
	return reports, err
}

// ofCase visits what is kept about a comment between two sort keys, the last first.
func (m *Moderation) ofCase(ctx context.Context, commentID, after, until string, each func(table.Item) error) error {
	pk := key.Case(commentID)
	items, _, err := m.t.Query(ctx, table.Query{
		Partition: key.Partition{Index: key.Table, Value: pk}, Descending: true, Limit: caseItems, Consistent: true,
		After: map[string]string{key.PK: pk, key.SK: until}, Until: after,
	})
	for _, it := range items {
		if err == nil {
			err = each(it)
		}
	}
	return err
}
