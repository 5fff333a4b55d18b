package cases

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

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
func (s *Cases) Reported(ctx context.Context, commentID, by string) (last LastReport, err error) {
	it, err := s.t.Get(ctx, "the report", moderation.ReportKey(commentID, by))
	if err == nil && s.o.ReportPace > 0 {
		last.pace, err = s.readPace(ctx, by, key.ReportPaceSK, s.t.Now())
	}
	last.there, last.born = it != nil, item.BornOf(it)
	return last, err
}

// ReportedBy reports for each of some different comment ids whether a user has reported the
// comment, strongly consistent. It costs a read unit for each id, and another for each reported
// comment. Reports of earlier comments with the same id do not count. It returns an Unavailable
// error if not all could be read.
func (s *Cases) ReportedBy(ctx context.Context, by string, commentIDs []string) ([]bool, error) {
	keys := make([]table.Item, len(commentIDs))
	for i, id := range commentIDs {
		keys[i] = moderation.ReportKey(id, by)
	}
	var comments []table.Item
	born, is := map[string]item.Writes{}, map[string]bool{}
	err := s.t.GetMany(ctx, keys, true, func(it table.Item) error {
		id, _ := key.CaseOf(table.Text(it, key.PK))
		born[key.Comment(id)] = item.BornOf(it)
		comments = append(comments, table.Key(key.Comment(id)))
		return nil
	})
	if err == nil {
		err = s.t.GetMany(ctx, comments, true, func(it table.Item) error {
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
func (s *Cases) Pace(r moderation.Report, last LastReport) ([]table.Write, error) {
	switch n := len(last.pace.times); {
	case s.o.ReportPace == 0:
		return nil, nil
	case n >= s.o.ReportPace:
		err := errs.Errorf(errs.RateLimited, "You have reported %d comments within an hour: report others later", n)
		err.RetryAfter = last.pace.times[0].Add(paceOver).Sub(r.At)
		return nil, err
	}
	return []table.Write{s.writePace(r.By, key.ReportPaceSK, last.pace, s.o.ReportPace, r.At)}, nil
}

// CaseItems is the maximum number of entries of a comment's history, or of reports, that are
// read.
const CaseItems = 200

// History reads the last decisions about a comment, newest first and at most 200, strongly
// consistent. It costs a read unit for about thirty decisions, plus the comment's own. Decisions
// about earlier comments with the same id are left out, and a deleted comment has none.
func (s *Cases) History(ctx context.Context, commentID string) ([]moderation.Decision, error) {
	after, until := key.Decisions()
	return ofCase(ctx, s.t, commentID, after, until, moderation.DecisionOf)
}

// Reports reads the reports of a comment, at most 200, in no particular order, at the cost of History.
func (s *Cases) Reports(ctx context.Context, commentID string) ([]moderation.Report, error) {
	after, until := key.Reports()
	return ofCase(ctx, s.t, commentID, after, until, moderation.ReportOf)
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

// Disown removes the person who made a decision from its item.
func (s *Cases) Disown(ctx context.Context, it table.Item) error {
	err := s.t.Write(ctx, "erase the user of a decision", moderation.Disowned(it))
	if _, gone := table.IsRefused(err); gone {
		return nil
	}
	return err
}
