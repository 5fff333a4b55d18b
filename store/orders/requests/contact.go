package requests

import (
	"strings"

	"github.com/go-json-experiment/json"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/orders/contact"
)

// MaxName bounds the name of a contact, in characters.
const MaxName = 100

// Contact is whom to ask for reviews.
type Contact struct {
	Email    string `json:"email"`
	Name     string `json:"name,omitzero"`
	Language string `json:"language,omitzero"` // a BCP 47 tag; empty if unknown
}

// Validate returns an error for each invalid field, and gives the address its one spelling and the
// language its canonical one.
func (c *Contact) Validate(field string) error {
	language, err := item.AnyLanguage(field+".language", &c.Language)
	if c.Language == "" {
		language, err = "", nil
	}
	c.Language = language
	wrong := []error{err}
	c.Email, err = contact.Address(field+".email", c.Email)
	wrong = append(wrong, err)
	if c.Name != "" {
		wrong = append(wrong, item.ValidateLine(field+".name", c.Name, MaxName))
	}
	return errs.Join(wrong...)
}

// normal returns the form of an address by which opt-outs compare it.
func (c *Contact) normal() string { return strings.ToLower(c.Email) }

// seal returns the contact of an order, sealed.
func (r *Requests) seal(orderID string, c Contact) ([]byte, error) {
	if r.contacts == nil {
		return nil, errs.Invalid("contact", "no key seals it: give this process the keys of the servers with --cursor-keys-file, or leave the contact out")
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return r.contacts.Seal(text, []byte(orderID))
}

// Open returns the contact of a request; ok is false if it has none any more.
func (r *Requests) Open(q *Request) (c Contact, ok bool, err error) {
	if q == nil || q.Contact == nil {
		return c, false, nil
	}
	if r.contacts == nil {
		return c, false, errs.Errorf(errs.Internal, "no key opens the contacts of orders: give this process the keys of the servers with --cursor-keys-file")
	}
	text, err := r.contacts.Open(q.Contact, []byte(q.OrderID))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return c, false, errs.Wrap(errs.Internal, err, "the contact of order %s cannot be read", item.Printable(q.OrderID))
	}
	return c, true, nil
}
