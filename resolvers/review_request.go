package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
	"product-comments/store/orders/requests"
)

// requests returns the review requests, or the error for a viewer who may not manage them.
func (r *Resolver) requests(ctx context.Context) (*requests.Requests, error) {
	return r.Store.Requests(), r.authorize(ctx, access.ManageRequests, "")
}

// ReviewRequest resolves Order.reviewRequest.
func (order) ReviewRequest(ctx context.Context, of *model.Order) (*model.ReviewRequest, error) {
	q, err := loadersOf(ctx).request(ctx, of.Order.ID)
	if q == nil {
		return nil, err
	}
	return &model.ReviewRequest{Request: q}, err
}

// Order resolves ReviewRequest.order.
func (reviewRequest) Order(ctx context.Context, of *model.ReviewRequest) (*model.Order, error) {
	o, err := loadersOf(ctx).order(ctx, of.Request.OrderID)
	if o == nil {
		return nil, err
	}
	return &model.Order{Order: *o}, err
}

// State resolves ReviewRequest.state. A buyer who signs in answers without a write of the request: its
// sender notes the answer when it looks at the request next.
func (reviewRequest) State(ctx context.Context, of *model.ReviewRequest) (*requests.State, error) {
	state := of.Request.State
	if state == requests.Sent || state == requests.Reminded {
		answered, err := loadersOf(ctx).answered(ctx, of.Request.OrderID)
		if err != nil {
			return nil, err
		}
		if answered > 0 {
			state = requests.Answered
		}
	}
	return &state, nil
}

// AnsweredCount resolves ReviewRequest.answeredCount.
func (reviewRequest) AnsweredCount(ctx context.Context, of *model.ReviewRequest) (*int, error) {
	n, err := loadersOf(ctx).answered(ctx, of.Request.OrderID)
	return &n, err
}

// Failure resolves ReviewRequest.failure.
func (r reviewRequest) Failure(ctx context.Context, of *model.ReviewRequest) (*string, error) {
	if of.Request.Failure == "" || r.may(ctx, access.ManageRequests, "") != access.Yes {
		return nil, nil
	}
	return &of.Request.Failure, nil
}

// ReviewRequests resolves Query.reviewRequests.
func (r query) ReviewRequests(
	ctx context.Context, in model.WindowArguments, filter *model.ReviewRequestFilter,
) (*model.ReviewRequestConnection, error) {
	all, err := r.requests(ctx)
	if err != nil {
		return nil, err
	}
	given := orZero(filter)
	f := requests.Filter{State: orZero(given.State), Before: item.Border(given.DueBefore)}
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.ReviewRequestConnection, error) {
		page, err := all.List(ctx, f, w)
		return model.NewReviewRequestConnection(page, cursorOf), err
	}
	return connection(ctx, r.Resolver, cursor.Requests, f.Scope(), nil, in, read)
}

// ReviewRequestMonths resolves Query.reviewRequestMonths.
func (r query) ReviewRequestMonths(ctx context.Context, last int) ([]requests.Month, error) {
	all, err := r.requests(ctx)
	if err == nil {
		last, err = parseCount("last", last, graph.MaxPageSize)
	}
	if err != nil {
		return nil, err
	}
	return all.Months(ctx, last)
}

// ScheduleReviewRequest resolves Mutation.scheduleReviewRequest.
func (r mutation) ScheduleReviewRequest(
	ctx context.Context, in model.ScheduleReviewRequestInput,
) (*model.ReviewRequestPayload, error) {
	return r.changeRequest(ctx, in.OrderID, item.ValidateTime("at", in.At),
		func(all *requests.Requests, id string) (*requests.Request, error) {
			return all.Schedule(ctx, id, in.At)
		})
}

// CancelReviewRequest resolves Mutation.cancelReviewRequest.
func (r mutation) CancelReviewRequest(
	ctx context.Context, in model.CancelReviewRequestInput,
) (*model.ReviewRequestPayload, error) {
	return r.changeRequest(ctx, in.OrderID, nil,
		func(all *requests.Requests, id string) (*requests.Request, error) { return all.Cancel(ctx, id) })
}

// changeRequest changes the request of an order. wrong is the error of the other fields of the input.
func (r mutation) changeRequest(
	ctx context.Context, orderID string, wrong error, change func(*requests.Requests, string) (*requests.Request, error),
) (*model.ReviewRequestPayload, error) {
	all, err := r.requests(ctx)
	if err != nil {
		return nil, err
	}
	id, err := parseID("orderId", orderID, globalid.Order)
	if err := errs.Join(err, wrong); err != nil {
		return nil, err
	}
	q, err := change(all, id)
	if err != nil {
		return nil, err
	}
	return &model.ReviewRequestPayload{ReviewRequest: model.ReviewRequest{Request: q}}, nil
}
