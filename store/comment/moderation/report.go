package moderation

import (
	"context"
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
}

// Entry returns the write of a report's item, on the condition that its reporter has not reported
// the comment yet. It replaces a report of an earlier comment with the same id.
func (r Report) Entry(c *item.Stored) table.Write {
	it := reportKey(c.ID, r.By)
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

func reportKey(commentID, by string) table.Item {
	return table.KeyOf(key.Case(commentID), key.Report(by))
}

// LastReport is a user's last report of a comment id, which may be about an earlier comment with
// the id, and the times of the user's other reports.
type LastReport struct {
	there bool
	born  item.Writes
	pace  pace
}

// IsAbout reports whether the report is about this comment.
func (r LastReport) IsAbout(c *item.Stored) bool { return r.there && r.born == c.Born }

// Reported reads a user's last report of a comment id, strongly consistent.
func (m *Moderation) Reported(ctx context.Context, commentID, by string) (last LastReport, err error) {
	it, err := m.t.Get(ctx, "the report", reportKey(commentID, by))
	if err == nil && m.o.ReportPace > 0 {
		last.pace, err = m.readPace(ctx, by, key.ReportPaceSK, m.t.Now())
	}
	last.there, last.born = it != nil, item.BornOf(it)
	return last, err
}

// ReportedBy reports for each of some different comment ids whether a user has reported the
// comment, strongly consistent. It costs a read unit for each id, and another for each reported
// comment. Reports of earlier comments with the same id do not count. It returns an Unavailable
// error if not all could be read.
func (m *Moderation) ReportedBy(ctx context.Context, by string, commentIDs []string) ([]bool, error) {
	keys := make([]table.Item, len(commentIDs))
	for i, id := range commentIDs {
		keys[i] = reportKey(id, by)
	}
	var comments []table.Item
	born, is := map[string]item.Writes{}, map[string]bool{}
	err := m.t.GetMany(ctx, keys, true, func(it table.Item) error {
		id, _ := key.CaseOf(table.Text(it, key.PK))
		born[key.Comment(id)] = item.BornOf(it)
		comments = append(comments, table.Key(key.Comment(id)))
		return nil
	})
	if err == nil {
		err = m.t.GetMany(ctx, comments, true, func(it table.Item) error {
			id := table.Text(it, key.PK)
			is[id] = !item.IsDeleted(it) && item.BornOf(it) == born[id]
			return nil
		})
	}
	out := make([]bool, len(commentIDs))
	for i, id := range commentIDs {
		out[i] = is[key.Comment(id)]
	}
	return out, err
}

// Pace returns the writes that count a report, for the report's transaction, given the reporter's
// last report. It returns a RateLimited error if the reporter has reached the limit within an hour.
func (m *Moderation) Pace(r Report, last LastReport) ([]table.Write, error) {
	switch n := len(last.pace.times); {
	case m.o.ReportPace == 0:
		return nil, nil
	case n >= m.o.ReportPace:
		err := errs.Errorf(errs.RateLimited, "You have reported %d comments within an hour: report others later", n)
		err.RetryAfter = last.pace.times[0].Add(paceOver).Sub(r.At)
		return nil, err
	}
	return []table.Write{m.writePace(r.By, key.ReportPaceSK, last.pace, m.o.ReportPace, r.At)}, nil
}

// CaseItems is the maximum number of entries of a comment's history, or of reports, that are
// read.
const CaseItems = 200

// History reads the last decisions about a comment, newest first and at most 200, strongly
// consistent. It costs a read unit for about thirty decisions, plus the comment's own. Decisions
// about earlier comments with the same id are left out, and a deleted comment has none.
func (m *Moderation) History(ctx context.Context, commentID string) ([]Decision, error) {
	after, until := key.Decisions()
	return ofCase(ctx, m.t, commentID, after, until, DecisionOf)
}

// Reports reads the reports of a comment, at most 200, in no particular order, at the cost of History.
func (m *Moderation) Reports(ctx context.Context, commentID string) ([]Report, error) {
	after, until := key.Reports()
	return ofCase(ctx, m.t, commentID, after, until, ReportOf)
}

// ofCase reads the items about a comment between two sort keys, in descending order.
func ofCase[T any](ctx context.Context, t *table.Table, commentID, after, until string,
	parse func(table.Item) (T, error)) (all []T, err error) {
	comment, err := t.Get(ctx, "the comment", table.Key(key.Comment(commentID)))
	if err != nil || comment == nil || item.IsDeleted(comment) {
		return nil, err
	}
	pk := key.Case(commentID)
	q := table.Query{
		Partition: key.Partition{Index: key.Table, Value: pk}, Descending: true, Limit: CaseItems, Consistent: true,
		After: map[string]string{key.PK: pk, key.SK: until}, Until: after,
	}
	for it, err := range t.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if item.BornOf(it) != item.BornOf(comment) {
			continue
		}
		one, err := parse(it)
		if all = append(all, one); err != nil || len(all) == CaseItems {
			return all, err
		}
	}
	return all, nil
}
