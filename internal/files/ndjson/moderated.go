package ndjson

import (
	"time"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
)

// moderation is the moderation state of a comment in a line; absent for a published comment
// without reports.
type moderation struct {
	Status  string    `json:"status,omitzero"` // empty for PUBLISHED
	Code    item.Code `json:"code,omitzero"`
	Reason  string    `json:"reason,omitzero"`
	Reports int       `json:"reports,omitzero"`
}

func parseModeration(c *store.Comment, v jsontext.Value) error {
	const name = "moderation"
	var m moderation
	if err := readObject(name, v, &m); err != nil {
		return err
	}
	m.Reason = item.Said(m.Reason)
	if m.Status != "" {
		var ok bool
		if c.State, ok = item.ParseState(m.Status); !ok {
			return errs.Invalid(name+".status",
				"%.40q is not a status: use PUBLISHED, PENDING, REJECTED or WITHDRAWN", m.Status)
		}
	}
	if c.State == item.Published && m.Reason != "" {
		return errs.Invalid(name+".reason", "a published comment has no reason: leave it out")
	}
	if m.Reports < 0 {
		return errs.Invalid(name+".reports", "%d is negative", m.Reports)
	}
	c.Code, c.Reason, c.Reports = m.Code, m.Reason, m.Reports
	return errs.Join(item.ValidateCode(name+".code", c.State, m.Code),
		item.ValidateReason(name+".reason", m.Reason, false))
}

func appendModeration(dst []byte, c *store.Comment) []byte {
	m := moderation{Code: c.Code, Reason: c.Reason, Reports: c.Reports}
	if c.State != item.Published {
		m.Status = c.State.String()
	}
	return appendObject(dst, m)
}

func parseReply(c *store.Comment, v jsontext.Value) error {
	const name = "shopReply"
	c.Reply = new(item.Reply)
	r := c.Reply
	if err := readObject(name, v, r); err != nil {
		return err
	}
	if item.Said(r.Text) == "" {
		return errs.Invalid(name+".text", "it is missing")
	}
	if r.UpdatedAt.IsZero() {
		r.UpdatedAt = r.CreatedAt
	}
	r.CreatedAt, r.UpdatedAt = r.CreatedAt.UTC(), r.UpdatedAt.UTC()
	return errs.Join(item.ValidateReply(name+".text", r.Text), item.ValidateTime(name+".createdAt", r.CreatedAt),
		item.ValidateTime(name+".updatedAt", r.UpdatedAt))
}

// appendReply appends the shop's reply, without UpdatedAt before the first edit.
func appendReply(dst []byte, c *store.Comment) []byte {
	r := item.Reply{Text: c.Reply.Text, CreatedAt: c.Reply.CreatedAt.UTC(), UpdatedAt: c.Reply.UpdatedAt.UTC()}
	if r.UpdatedAt.Equal(r.CreatedAt) {
		r.UpdatedAt = time.Time{}
	}
	return appendObject(dst, r)
}

// readObject reads an object and refuses unknown members.
func readObject(name string, v []byte, to any) error {
	if err := expect('{', name, v); err != nil {
		return err
	}
	if err := strict.Unmarshal(v, to, strict.RejectUnknownMembers(true)); err != nil {
		return errs.JSON(name, err)
	}
	return nil
}

func appendObject(dst []byte, of any) []byte {
	b, err := strict.Marshal(of)
	if err != nil { // texts and times of the store are valid
		panic(err)
	}
	return append(dst, b...)
}
