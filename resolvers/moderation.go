package resolvers

import (
	"context"
	"slices"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
)

// decide makes a moderation decision of the viewer.
func (r mutation) decide(
	ctx context.Context, do access.Action, id string, ruling store.Ruling,
) (_ *model.CommentPayload, err error) {
	if ruling.Guard, err = r.guard(ctx, do); err != nil {
		return nil, err
	}
	if ruling.ID, err = parseID("id", id, globalid.Comment); err != nil {
		reason := item.ValidateReason("reason", item.Said(ruling.Reason), ruling.Verb == moderation.Reject)
		return nil, errs.Join(err, reason)
	}
	ruling.By = access.From(ctx).Subject
	after, err := r.Store.Decide(ctx, ruling)
	return &model.CommentPayload{Comment: r.comment(ctx, &after)}, err
}

// ApproveComment resolves Mutation.approveComment.
func (r mutation) ApproveComment(ctx context.Context, in model.ApproveCommentInput) (*model.CommentPayload, error) {
	return r.decide(ctx, access.Moderate, in.ID, store.Ruling{Verb: moderation.Approve, Reason: orZero(in.Reason),
		ExpectedVersion: in.ExpectedVersion, ExpectedState: in.ExpectedState})
}

// RejectComment resolves Mutation.rejectComment.
func (r mutation) RejectComment(ctx context.Context, in model.RejectCommentInput) (*model.CommentPayload, error) {
	return r.decide(ctx, access.Moderate, in.ID, store.Ruling{Verb: moderation.Reject, Reason: in.Reason,
		Code: orZero(in.Code), ExpectedVersion: in.ExpectedVersion, ExpectedState: in.ExpectedState})
}

// WithdrawComment resolves Mutation.withdrawComment.
func (r mutation) WithdrawComment(ctx context.Context, in model.WithdrawCommentInput) (*model.CommentPayload, error) {
	return r.decide(ctx, access.WithdrawComment, in.ID, store.Ruling{Verb: moderation.Withdraw, Reason: orZero(in.Reason)})
}

// LookAtComment resolves Mutation.lookAtComment.
func (r mutation) LookAtComment(ctx context.Context, in model.LookAtCommentInput) (*model.CommentPayload, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Comment)
	if err != nil {
		return nil, err
	}
	c, err := loadersOf(ctx).comment(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, item.NotFound(id)
	}
	return &model.CommentPayload{Comment: r.comment(ctx, c)}, r.Store.Moderation().Look(ctx, id, access.From(ctx).Subject)
}

// ReportComment resolves Mutation.reportComment.
func (r mutation) ReportComment(ctx context.Context, in model.ReportCommentInput) (*model.ReportCommentPayload, error) {
	if err := r.authorize(ctx, access.ReportComment, ""); err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Comment)
	if err != nil {
		return nil, errs.Join(err, item.ValidateReason("reason", item.Said(orZero(in.Reason)), false))
	}
	if access.From(ctx).Subject == "" {
		return r.notify(ctx, id, in)
	}
	if in.Notice != nil {
		return nil, errs.Invalid("notice", "you report with your token: leave it out").For(errs.Contradiction)
	}
	c, err := r.Store.Report(ctx, id, access.From(ctx).Subject, orZero(in.Reason))
	if err != nil || !loadersOf(ctx).canSee(ctx, &c) {
		return &model.ReportCommentPayload{}, err
	}
	return &model.ReportCommentPayload{Comment: new(r.comment(ctx, &c))}, nil
}

// Notices is a client's budget for reports without a token. Notice takes one of it, or returns an
// error for a client that has used it up.
type Notices interface{ Notice(context.Context) error }

// notify reports a comment for a visitor without a token.
func (r mutation) notify(ctx context.Context, id string, in model.ReportCommentInput) (*model.ReportCommentPayload, error) {
	switch {
	case in.Notice == nil:
		return nil, errs.Invalid("notice", "it is missing: sign in, or say who you are").For(errs.Required)
	case !orZero(in.Notice.GoodFaith):
		return nil, errs.Invalid("notice.goodFaith", "it is not true: report only what you believe in good faith").For(errs.Required)
	}
	if err := r.Notices.Notice(ctx); err != nil {
		return nil, err
	}
	c, receipt, err := r.Store.Notify(ctx, id, moderation.Notice{Name: in.Notice.Name, Email: in.Notice.Email, Reason: orZero(in.Reason)})
	if err != nil {
		return nil, err
	}
	payload := &model.ReportCommentPayload{Receipt: &receipt}
	if loadersOf(ctx).canSee(ctx, &c) {
		payload.Comment = new(r.comment(ctx, &c))
	}
	return payload, nil
}

// DismissReports resolves Mutation.dismissReports.
func (r mutation) DismissReports(
	ctx context.Context, in model.DismissReportsInput,
) (*model.DismissReportsPayload, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return nil, err
	}
	of, err := parseUsername(ctx, "id", in.ID)
	if err != nil {
		return nil, errs.Join(err, item.ValidateReason("reason", item.Said(orZero(in.Reason)), false))
	}
	n, more, err := r.Store.DismissReports(ctx, of, access.From(ctx).Subject, orZero(in.Reason))
	return &model.DismissReportsPayload{ApprovedCount: n, HasMore: more}, err
}

// ReplyToComment resolves Mutation.replyToComment.
func (r mutation) ReplyToComment(ctx context.Context, in model.ReplyToCommentInput) (*model.CommentPayload, error) {
	guard, err := r.guard(ctx, access.Moderate)
	if err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Comment)
	if err != nil {
		return nil, errs.Join(err, item.ValidateReply("text", item.Said(orZero(in.Text))))
	}
	c, err := r.Store.Reply(ctx, id, orZero(in.Text), guard)
	return &model.CommentPayload{Comment: r.comment(ctx, &c)}, err
}

// ModerationQueue resolves Query.moderationQueue.
func (r query) ModerationQueue(
	ctx context.Context, in model.WindowArguments, filter *model.ModerationQueueFilter,
) (*model.ModerationQueueConnection, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return nil, err
	}
	of := orZero(filter)
	tag, wrong := item.AnyLanguage("filter.language", of.Language)
	conditions, unfit := parseConditions(of.ProductID, of.Ratings, of.WithPhotos, of.Words)
	wrong = errs.Join(wrong, unfit)
	part := store.Queue{State: item.Pending, Language: tag, Reported: of.Reported, Conditions: conditions,
		Created: key.TimesOf(item.Border(of.CreatedAfter), item.Border(of.CreatedBefore))}
	if of.State != nil {
		part.State = *of.State
	}
	may := func(owner string) model.May { return r.permissions(ctx, owner) }
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.ModerationQueueConnection, error) {
		page, err := r.Store.Queue(ctx, part, w)
		return &model.ModerationQueueConnection{Connection: model.NewPlaced(page, may, cursorOf), Part: part}, err
	}
	return connection(ctx, r.Resolver, cursor.Queues, part.Scope(), wrong, in, read)
}

// ReviewMonths resolves Query.reviewMonths.
func (r query) ReviewMonths(ctx context.Context, last int) ([]store.Month, error) {
	err := r.authorize(ctx, access.Moderate, "")
	if err == nil {
		last, err = parseCount("last", last, graph.MaxPageSize)
	}
	if err != nil {
		return nil, err
	}
	return r.Store.Moderation().Months(ctx, last)
}

// ModerationReport resolves Query.moderationReport.
func (r query) ModerationReport(ctx context.Context, from, to string) (*store.ModerationReport, error) {
	return r.report(ctx, "", from, to)
}

// ModerationReport resolves Product.moderationReport.
func (r product) ModerationReport(ctx context.Context, of *model.Product, from, to string) (*store.ModerationReport, error) {
	return r.report(ctx, of.ProductID, from, to)
}

// report returns the report of a product, or of all if that is empty.
func (r *Resolver) report(ctx context.Context, product, from, to string) (*store.ModerationReport, error) {
	if err := r.authorize(ctx, access.SeeReports, ""); err != nil {
		return nil, err
	}
	report, err := r.Store.Moderation().ModerationReport(ctx, product, from, to)
	return &report, err
}

// TotalCount resolves ModerationQueueConnection.totalCount.
func (r moderationQueueConnection) TotalCount(ctx context.Context, of *model.ModerationQueueConnection) (*int, error) {
	if !of.Part.Counted() {
		return nil, nil
	}
	totals, err := loadersOf(ctx).queued(ctx)
	return new(totals.Count(of.Part)), err
}

// Counts resolves ModerationQueueConnection.counts.
func (r moderationQueueConnection) Counts(ctx context.Context, of *model.ModerationQueueConnection) ([]model.StateCount, error) {
	totals, err := loadersOf(ctx).queued(ctx)
	return model.NewStateCounts(totals, of.Part), err
}

// ReportCount resolves Comment.reportCount.
func (r comment) ReportCount(ctx context.Context, of *model.Comment) (*int, error) {
	c, err := r.whole(ctx, of)
	return &c.Reports, err
}

// Writer resolves Comment.writer.
func (r comment) Writer(ctx context.Context, of *model.Comment) (*model.User, error) {
	c, err := r.whole(ctx, of)
	if c.Owner == "" {
		return nil, err
	}
	return &model.User{Subject: c.Owner}, err
}

// whole returns a comment with what lists do not have, for moderators: a zero one if it was deleted
// a moment ago.
func (r comment) whole(ctx context.Context, of *model.Comment) (store.Comment, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return store.Comment{}, err
	}
	if of.Whole {
		return *of.Comment, nil
	}
	c, err := loadersOf(ctx).comment(ctx, of.Comment.ID)
	return orZero(c), err
}

// ViewerHasReported resolves Comment.viewerHasReported, for all comments of a page in one batch.
func (comment) ViewerHasReported(ctx context.Context, of *model.Comment) (*bool, error) {
	if access.From(ctx).Subject == "" {
		return nil, nil
	}
	reported, err := loadersOf(ctx).reported(ctx, of.Comment.ID)
	return &reported, err
}

// Reports resolves Comment.reports.
func (r comment) Reports(ctx context.Context, of *model.Comment) ([]model.CommentReport, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return nil, err
	}
	reports, err := r.Store.Moderation().Reports(ctx, of.Comment.ID)
	all := make([]model.CommentReport, len(reports))
	for i, one := range reports {
		// Moderators decide without a contact whose key was removed, and the decision forgets it.
		name, email, _ := r.Store.Moderation().Contact(one)
		all[i] = model.NewCommentReport(one, name, email)
	}
	return all, err
}

// Statement resolves Comment.statement, for viewers who may see a comment that is not published.
func (r comment) Statement(ctx context.Context, of *model.Comment) (*model.StatementOfReasons, error) {
	if of.Comment.State != item.Rejected {
		return nil, nil
	}
	history, err := r.Store.Moderation().History(ctx, of.Comment.ID)
	i := slices.IndexFunc(history, func(d moderation.Decision) bool { return d.To == item.Rejected && d.PhotoID == "" })
	if err != nil || i < 0 {
		return nil, err
	}
	return &model.StatementOfReasons{Decision: history[i]}, nil
}

// LookedAtBy resolves Comment.lookedAtBy, for all comments of a page in one batch.
func (r comment) LookedAtBy(ctx context.Context, of *model.Comment) ([]model.CommentLook, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return nil, err
	}
	looks, err := loadersOf(ctx).looks(ctx, of.Comment.ID)
	return model.MapList(looks, func(l *store.Look) model.CommentLook { return model.CommentLook{Look: *l} }), err
}

// History resolves Comment.history.
func (r comment) History(ctx context.Context, of *model.Comment) ([]model.CommentDecision, error) {
	if err := r.authorize(ctx, access.Moderate, ""); err != nil {
		return nil, err
	}
	history, err := r.Store.Moderation().History(ctx, of.Comment.ID)
	return model.MapList(history, func(d *moderation.Decision) model.CommentDecision {
		return model.CommentDecision{Decision: *d}
	}), err
}
