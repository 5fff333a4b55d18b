// Package links makes the addresses in messages that ask buyers for reviews.
package links

import (
	"product-comments/store/key/invitations"
	"product-comments/store/orders/requests"
)

// Links makes addresses of a service.
type Links struct {
	Invitations *invitations.Codec
	// Address is where clients reach the service, such as https://reviews.shop.example.
	Address string
}

// Write is a product of a message, with the address of the page to write on. The rating that the page
// begins with may follow as ?rating=4.
type Write struct {
	ProductID string `json:"productId"`
	URL       string `json:"url"`
}

// Of returns the pages to write on of a message, and the page to opt out.
func (l *Links) Of(a *requests.Asking) (all []Write, optOut string, err error) {
	for _, product := range a.Products {
		token, err := l.Invitations.Token(invitations.Invitation{OrderID: a.OrderID, ProductID: product, Subject: a.Subject, Expires: a.Until})
		if err != nil {
			return nil, "", err
		}
		all = append(all, Write{product, l.Address + invitations.Path + token})
	}
	return all, l.Address + requests.PathOptOut + a.OptOut, nil
}
