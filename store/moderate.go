package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/index/cases"
	"product-comments/store/key"
	"product-comments/store/orders/contact"
	"product-comments/store/table"
)

// judgeEdit decides whether an edited comment stays published. An edit by the author is
// moderated again where new comments are, and always if the comment was rejected before.
func (s *Store) judgeEdit(ctx context.Context, change Change, before, after *item.Stored) (with extra, err error) {
	if before.State == item.Withdrawn {
		return with, errWithdrawn()
	}
	if change.Trusted || before.State == item.Pending {
		return with, nil
	}
	why := item.Why{Code: item.HeldByEdit}
	if before.State == item.Published {
		addresses, err := s.addresses(ctx, &after.Comment)
		if err != nil {
			return with, err
		}
		if why, err = s.moderation.CheckEdit(ctx, &before.Comment, &after.Comment, addresses); err != nil || why.Code == "" {
			return with, err
		}
	}
	return s.transition(moderation.Return, change.By, why, before, after)
}

func errWithdrawn() error {
	return errs.Errorf(errs.Conflict, "The comment is withdrawn, so it cannot be changed")
}

// addresses returns which attributes of a comment are defined to hold web addresses.
func (s *Store) addresses(ctx context.Context, c *Comment) (func(attribute string) bool, error) {
	if len(c.Attributes) == 0 {
		return func(string) bool { return false }, nil
	}
	d, err := s.attributes.Definitions(ctx, c.ProductID)
	if err != nil {
		return nil, err
	}
	return d.IsAddress, nil
}

// transition applies a verb to a comment's moderation state.
func (s *Store) transition(
	v moderation.Verb, by string, why item.Why, before, after *item.Stored,
) (with extra, err error) {
	if after.State, err = moderation.Transition(v, before.State); err != nil {
		return with, err
	}
	after.Why = why
	if after.State == item.Published {
		after.Why = item.Why{}
	}
	now := s.t.Now().UTC()
	if v != moderation.Return {
		after.Reports, after.Notices = 0, 0
	}
	if after.WaitsSince = 0; after.State == item.Pending {
		after.WaitsSince = int(now.Unix())
	} else if v != moderation.Withdraw && after.State != before.State {
		after.Decided = after.Decided.Then(item.DecidedOf(before, after, now))
	}
	if after.State == item.Withdrawn { // permanently, so its photos go
		after.Photos = nil
	}
	d := &moderation.Decision{From: before.State, To: after.State, By: by, At: now, Why: why}
	if after.State == item.Rejected {
		d.Origin = moderation.OriginOf(before)
	}
	return extra{decision: d}, nil
}

// Ruling is a decision about a comment by a moderator or by the comment's author.
type Ruling struct {
	ID     string
	Verb   moderation.Verb // Approve, Reject or Withdraw
	By     string          // the subject of the person who decides
	Reason string          // required for Reject, otherwise optional
	Code   item.Code       // for Reject only; empty means item.Other
	// ExpectedVersion refuses the ruling if the comment has another version, which the person
	// who decides has not seen; nil accepts any version.
	ExpectedVersion *int
	// ExpectedState refuses a ruling with an effect if the comment is in another state, because
	// another person has decided; nil accepts any state.
	ExpectedState *item.State
	Guard         Guard
	If            func(*item.Stored) bool // the ruling has no effect on other comments; nil for any
}

// Decide changes a comment's moderation state and adds the decision to its history, in one
// transaction with the changes of all list keys. A ruling without effect writes nothing, so it can
// be repeated. It returns BadUserInput for invalid input, NotFound if there is no such comment, the
// error of Guard, or Conflict for a withdrawn comment or if ExpectedVersion or ExpectedState does not
// match.
func (s *Store) Decide(ctx context.Context, r Ruling) (Comment, error) {
	r.Reason = item.Said(r.Reason)
	if err := errs.Join(item.ValidateCommentID("id", r.ID), item.ValidateCode("code", item.Rejected, r.Code),
		item.ValidateReason("reason", r.Reason, r.Verb == moderation.Reject)); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, r.ID, r.Guard, func(ctx context.Context, before *item.Stored) (*item.Stored, extra, error) {
		if err := checkVersion(r.ExpectedVersion, before); err != nil {
			return before, extra{}, err
		}
		// withdrawal is final, and so is its reason
		if r.Verb == moderation.Withdraw && before.State == item.Withdrawn || r.If != nil && !r.If(before) {
			return before, extra{}, nil
		}
		after := *before
		with, err := s.transition(r.Verb, r.By, item.Why{Code: r.Code, Reason: r.Reason}, before, &after)
		if after.State == before.State && after.Why == before.Why && after.Reports == before.Reports {
			return before, extra{}, err
		}
		if r.ExpectedState != nil && *r.ExpectedState != before.State {
			return before, extra{}, s.decided(ctx, before)
		}
		if err == nil && before.State == item.Rejected && after.State == item.Rejected {
			with.decision.Origin, err = s.originOf(ctx, before)
		}
		if err == nil {
			with.writes, err = s.moderation.Forget(ctx, before)
		}
		return &after, with, err
	})
}

// originOf returns what led to the rejection of a comment, which another reason does not change.
func (s *Store) originOf(ctx context.Context, c *item.Stored) (moderation.Origin, error) {
	history, err := s.moderation.History(ctx, c.ID)
	for _, d := range history {
		if d.To == item.Rejected && d.Origin != "" {
			return d.Origin, err
		}
	}
	return moderation.ByReview, err
}

// decided returns the Conflict error of a ruling about a comment that is in another state than
// expected. It names who decided last, for moderators.
func (s *Store) decided(ctx context.Context, c *item.Stored) error {
	history, err := s.moderation.History(ctx, c.ID)
	if err != nil {
		return err
	}
	e := errs.Errorf(errs.Conflict, "The comment is %s now: read it again and decide", c.State)
	e.Field, e.More = "expectedState", map[string]any{"state": c.State.String()}
	if len(history) > 0 && history[0].By != "" && history[0].To == c.State {
		at := history[0].At.Format(time.RFC3339)
		e.Message = fmt.Sprintf("The comment is %s since a decision of %s at %s: read it again and decide", c.State, history[0].By, at)
		e.More["decidedBy"], e.More["decidedAt"] = history[0].By, at
	}
	return e
}

// Reply sets the shop's reply to a comment, or removes it if text is empty. The comment's version
// and update time do not change. It returns BadUserInput for an invalid text, NotFound if there is
// no such comment, the error of guard, or Conflict for a withdrawn comment.
func (s *Store) Reply(ctx context.Context, id, text string, guard Guard) (Comment, error) {
	text = item.Said(text)
	if err := errs.Join(item.ValidateCommentID("id", id), item.ValidateReply("text", text)); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, id, guard, func(_ context.Context, before *item.Stored) (*item.Stored, extra, error) {
		after := *before
		now := s.t.Now().UTC()
		switch {
		case before.State == item.Withdrawn:
			return before, extra{}, errWithdrawn()
		case text == "":
			after.Reply = nil
		case before.Reply == nil:
			after.Reply = &item.Reply{Text: text, CreatedAt: now, UpdatedAt: now}
		case before.Reply.Text != text:
			after.Reply = &item.Reply{Text: text, CreatedAt: before.Reply.CreatedAt,
				UpdatedAt: later(now, before.Reply.UpdatedAt)}
		}
		return &after, extra{}, nil
	})
}

// Report adds a person's report of a comment. A second report of the same person has no effect. In
// mode Post a published comment with enough reports becomes pending. It returns BadUserInput for
// invalid input, NotFound if there is no such published comment, or RateLimited if the person has
// reported too many within an hour.
func (s *Store) Report(ctx context.Context, id, by, reason string) (Comment, error) {
	reason = item.Said(reason)
	if err := errs.Join(item.ValidateCommentID("id", id), item.ValidateReason("reason", reason, false)); err != nil {
		return Comment{}, err
	}
	return s.report(ctx, id, moderation.Report{By: by, Reason: reason})
}

// Notify adds the report of a person without a token, and returns its receipt. The person's name and
// address are sealed, and deleted when a moderator decides. A second notice with the same address has
// no effect. Notices alone hide no comment. It returns BadUserInput for invalid input, NotFound if there
// is no such published comment, or Conflict if the comment has cases.MostNotices already.
func (s *Store) Notify(ctx context.Context, id string, n moderation.Notice) (c Comment, receipt string, err error) {
	if err := errs.Join(item.ValidateCommentID("id", id), n.Validate(contact.Address)); err != nil {
		return c, "", err
	}
	report, receipt, err := s.moderation.Notice(id, n)
	if err == nil {
		c, err = s.report(ctx, id, report)
	}
	return c, receipt, err
}

func (s *Store) report(ctx context.Context, id string, report moderation.Report) (Comment, error) {
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	// Read before the comment, so that the cost does not reveal whether the comment exists.
	last, err := s.moderation.Reported(ctx, id, report.By)
	if err != nil {
		return Comment{}, err
	}
	tries := 0
	return s.edit(ctx, id, nil, func(ctx context.Context, before *item.Stored) (*item.Stored, extra, error) {
		if tries++; tries > 1 {
			if last, err = s.moderation.Reported(ctx, id, report.By); err != nil {
				return before, extra{}, err
			}
		}
		if last.IsAbout(before) { // the report is not about an earlier comment with this id
			return before, extra{}, nil
		}
		if before.State != item.Published {
			return before, extra{}, item.NotFound(id)
		}
		report.At = s.t.Now().UTC() // after the decisions that before has seen: see DismissReports
		with, after := extra{report: &report}, *before
		after.Reports++
		if report.Contact != nil {
			if after.Notices++; after.Notices > cases.MostNotices {
				return before, extra{}, errs.Errorf(errs.Conflict, "The comment has %d notices already: a moderator will decide", cases.MostNotices)
			}
			return &after, with, nil
		}
		if with.writes, err = s.moderation.Pace(report, last); err != nil {
			return before, extra{}, err
		}
		mode, err := s.moderation.ModeOf(ctx, before.ProductID)
		if err != nil || mode != moderation.Post || !s.moderation.Enough(after.Reports-after.Notices) {
			return &after, with, err
		}
		returned, err := s.transition(moderation.Return, "", item.Why{Code: item.HeldByReports}, before, &after)
		with.decision = returned.decision
		return &after, with, err
	})
}

// mostApproved is the number of comments that one call of DismissReports approves at most.
const mostApproved = 50

// DismissReports approves comments that a person's reports have hidden: pending comments with a
// report of the person since the last approval. It returns the number of approved comments, and
// whether to call it again for others. It returns BadUserInput for an invalid reason.
func (s *Store) DismissReports(ctx context.Context, of, by, reason string) (approved int, more bool, err error) {
	if err := item.ValidateReason("reason", item.Said(reason), false); err != nil {
		return 0, false, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	var ids []string
	reported := map[string]time.Time{}
	err = s.t.Each(ctx, key.ReportsBy(of), func(it table.Item) error {
		at, _ := key.ParseSortKey(table.Text(it, key.GSISK))
		ids, reported[at.CommentID] = append(ids, at.CommentID), at.CreatedAt
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	err = item.EachOf(ctx, s.t, ids, func(_ table.Item, c *item.Stored) error {
		if !moderation.IsHiddenByReports(c) || approved == mostApproved {
			more = more || moderation.IsHiddenByReports(c)
			return nil
		}
		history, err := s.moderation.History(ctx, c.ID)
		isOver := func(d moderation.Decision) bool { return d.To == item.Published && d.At.After(reported[c.ID]) }
		if err != nil || slices.ContainsFunc(history, isOver) {
			return err
		}
		_, err = s.Decide(ctx, Ruling{ID: c.ID, Verb: moderation.Approve, By: by, Reason: reason,
			If: moderation.IsHiddenByReports})
		switch errs.CodeOf(err) {
		case errs.NotFound, errs.BadUserInput: // deleted since, or its product has too many languages
			return nil
		}
		approved++
		return err
	})
	return approved, more, err
}
