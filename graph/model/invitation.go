package model

import (
	"time"

	"product-comments/store/key/invitations"
	"product-comments/store/orders"
)

// Invitation is the schema's type Invitation.
type Invitation struct {
	invitations.Invitation
	Token string
	URL   *string
	Order orders.Order
}

// ExpiresAt returns until when it is valid.
func (i Invitation) ExpiresAt() time.Time { return i.Expires }

// Product returns the product that it is for.
func (i Invitation) Product() Product { return Product{ProductID: i.ProductID} }
