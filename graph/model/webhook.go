package model

import (
	"time"

	"product-comments/graph/globalid"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/outbox"
)

// WebhookEndpoint is the schema's type WebhookEndpoint.
type WebhookEndpoint struct{ Endpoint *outbox.Endpoint }

// ID returns the id.
func (w WebhookEndpoint) ID() string { return w.Endpoint.ID }

// URL returns the address.
func (w WebhookEndpoint) URL() string { return w.Endpoint.URL }

// Events returns the types of its events.
func (w WebhookEndpoint) Events() []outbox.Type { return w.Endpoint.Types }

// ProductIds returns the texts of the shop's ids of its products.
func (w WebhookEndpoint) ProductIds() []string {
	return MapList(w.Endpoint.Products, func(id *string) string { return globalid.Text(globalid.Product, *id) })
}

// State returns whether it gets events.
func (w WebhookEndpoint) State() WebhookEndpointState {
	if w.Endpoint.Disabled != "" {
		return WebhookEndpointStateDisabled
	}
	return WebhookEndpointStateEnabled
}

// DisabledReason returns why it is disabled; nil if it is not.
func (w WebhookEndpoint) DisabledReason() *string { return orNil(&w.Endpoint.Disabled) }

// CreatedAt returns when it was created.
func (w WebhookEndpoint) CreatedAt() time.Time { return w.Endpoint.Created }

// WebhookFailure is an event that could not be delivered.
type WebhookFailure struct{ outbox.Failure }

// EventID returns the id of the event.
func (f WebhookFailure) EventID() string { return f.Failure.At.CommentID }

// At returns the time of the event.
func (f WebhookFailure) At() time.Time { return f.Failure.At.CreatedAt }

// WebhookFailureEdge is a failure in a list.
type WebhookFailureEdge struct {
	Edge[WebhookFailure, key.Position]
}

// WebhookFailureConnection is a page of failures.
type WebhookFailureConnection struct {
	Connection[WebhookFailure, WebhookFailureEdge]
}

// NewWebhookFailureConnection returns the connection of a page of failures, whose cursors cursorOf makes.
func NewWebhookFailureConnection(page list.Page[outbox.Failure], cursorOf CursorOf[key.Position]) *WebhookFailureConnection {
	return &WebhookFailureConnection{NewConnection(page, func(i int) WebhookFailureEdge {
		f := page.Items[i]
		return WebhookFailureEdge{NewEdge(WebhookFailure{f}, f.At, cursorOf)}
	})}
}
