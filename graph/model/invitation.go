package model

import (
	"cmp"
	"time"

	"product-comments/store/comment/item"
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

// Incentive returns what the buyer gets for the comment.
func (i Invitation) Incentive() item.Incentive {
	return cmp.Or(item.Incentive(i.Invitation.Incentive), item.NoIncentive)
}

// Product returns the product that it is for.
func (i Invitation) Product() Product { return Product{ProductID: i.ProductID} }
