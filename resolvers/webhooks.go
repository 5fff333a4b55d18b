package resolvers

import (
	"context"
	"time"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
	"product-comments/store/outbox"
)

// defaultOverlap is how many hours the earlier secret of an endpoint signs too.
const defaultOverlap = 24

// webhooks returns the outbox, or the error for a viewer who may not manage webhooks.
func (r *Resolver) webhooks(ctx context.Context) (*outbox.Outbox, error) {
	return r.Store.Outbox(), r.authorize(ctx, access.ManageWebhooks, "")
}

func newEndpoint(p *outbox.Endpoint) model.WebhookEndpoint { return model.WebhookEndpoint{Endpoint: p} }

// WebhookEndpoints resolves Query.webhookEndpoints.
func (r query) WebhookEndpoints(ctx context.Context) ([]model.WebhookEndpoint, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	all, err := o.Endpoints(ctx)
	return model.MapList(all, newEndpoint), err
}

// WebhookEndpoint resolves Query.webhookEndpoint.
func (r query) WebhookEndpoint(ctx context.Context, id string) (*model.WebhookEndpoint, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	p, err := o.Endpoint(ctx, id)
	if errs.CodeOf(err) == errs.NotFound {
		return nil, nil
	}
	return new(newEndpoint(&p)), err
}

// OldestUndelivered resolves WebhookEndpoint.oldestUndelivered.
func (r webhookEndpoint) OldestUndelivered(ctx context.Context, of *model.WebhookEndpoint) (*time.Time, error) {
	at, err := r.Store.Outbox().Progress(ctx, of.Endpoint.ID)
	if err != nil {
		return nil, err
	}
	oldest, err := r.Store.Outbox().Oldest(ctx, of.Endpoint, at)
	if err != nil || oldest.IsZero() {
		return nil, err
	}
	return &oldest, nil
}

// Failures resolves WebhookEndpoint.failures.
func (r webhookEndpoint) Failures(
	ctx context.Context, of *model.WebhookEndpoint, in model.WindowArguments,
) (*model.WebhookFailureConnection, error) {
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.WebhookFailureConnection, error) {
		page, err := r.Store.Outbox().Failures(ctx, of.Endpoint.ID, w)
		return model.NewWebhookFailureConnection(page, cursorOf), err
	}
	return connection(ctx, r.Resolver, cursor.Failures, of.Endpoint.ID, nil, in, read)
}

// parseEndpoint adds the products of an input to a change. If one is invalid it returns all errors of
// the input, because the store, which would report the others, is not called.
func parseEndpoint(o *outbox.Outbox, change outbox.Change, products []string) (outbox.Change, error) {
	if products == nil {
		return change, nil
	}
	own, wrong := make([]string, len(products)), make([]error, len(products))
	for i, id := range products {
		own[i], wrong[i] = globalid.Parse("productIds", id, globalid.Product)
	}
	change.Products = &own
	if err := errs.Join(wrong...); err != nil {
		return change, errs.Join(err, o.Problems(change))
	}
	return change, nil
}

// CreateWebhookEndpoint resolves Mutation.createWebhookEndpoint.
func (r mutation) CreateWebhookEndpoint(
	ctx context.Context, in model.CreateWebhookEndpointInput,
) (*model.CreateWebhookEndpointPayload, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	change, err := parseEndpoint(o, outbox.Change{URL: &in.URL, Types: in.Events}, in.ProductIds)
	if err != nil {
		return nil, err
	}
	p, secret, err := o.Create(ctx, outbox.Endpoint{URL: in.URL, Types: in.Events, Products: orZero(change.Products)})
	return &model.CreateWebhookEndpointPayload{Endpoint: newEndpoint(&p), Secret: secret}, err
}

// UpdateWebhookEndpoint resolves Mutation.updateWebhookEndpoint.
func (r mutation) UpdateWebhookEndpoint(
	ctx context.Context, in model.UpdateWebhookEndpointInput,
) (*model.UpdateWebhookEndpointPayload, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	change, err := parseEndpoint(o, outbox.Change{URL: emptyToNil(in.URL), Types: in.Events, Enabled: in.Enabled}, in.ProductIds)
	if err != nil {
		return nil, err
	}
	p, err := o.Update(ctx, in.ID, change)
	return &model.UpdateWebhookEndpointPayload{Endpoint: newEndpoint(&p)}, err
}

// RotateWebhookSecret resolves Mutation.rotateWebhookSecret.
func (r mutation) RotateWebhookSecret(
	ctx context.Context, in model.RotateWebhookSecretInput,
) (*model.RotateWebhookSecretPayload, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	hours := defaultOverlap
	if in.Overlap != nil {
		if hours, err = parseCount("overlap", *in.Overlap, int(outbox.MaxOverlap/time.Hour)); err != nil {
			return nil, err
		}
	}
	p, secret, err := o.Rotate(ctx, in.ID, time.Duration(hours)*time.Hour)
	return &model.RotateWebhookSecretPayload{Endpoint: newEndpoint(&p), Secret: secret}, err
}

// DeleteWebhookEndpoint resolves Mutation.deleteWebhookEndpoint.
func (r mutation) DeleteWebhookEndpoint(
	ctx context.Context, in model.DeleteWebhookEndpointInput,
) (*model.DeleteWebhookEndpointPayload, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	p, err := o.Delete(ctx, in.ID)
	return &model.DeleteWebhookEndpointPayload{DeletedID: p.ID}, err
}

// ReplayWebhookEvents resolves Mutation.replayWebhookEvents.
func (r mutation) ReplayWebhookEvents(
	ctx context.Context, in model.ReplayWebhookEventsInput,
) (*model.ReplayWebhookEventsPayload, error) {
	o, err := r.webhooks(ctx)
	if err == nil {
		err = item.ValidateTime("since", in.Since)
	}
	if err != nil {
		return nil, err
	}
	p, err := o.Replay(ctx, in.ID, in.Since)
	return &model.ReplayWebhookEventsPayload{Endpoint: newEndpoint(&p)}, err
}

// SendTestEvent resolves Mutation.sendTestEvent.
func (r mutation) SendTestEvent(ctx context.Context, in model.SendTestEventInput) (*model.SendTestEventPayload, error) {
	o, err := r.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	id, err := o.Test(ctx, in.ID)
	return &model.SendTestEventPayload{EventID: id}, err
}
