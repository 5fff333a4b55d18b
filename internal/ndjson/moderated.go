package ndjson

import (
	"time"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
)

// moderation is the moderation state of a comment in a line; absent for a published comment
// without reports.
type moderation struct {
	Status  string    `json:"status,omitzero"` // empty for PUBLISHED
	Code    item.Code `json:"code,omitzero"`
	Reason  string    `json:"reason,omitzero"`
	Reports int       `json:"reports,omitzero"`
}

var moderationField = field{
	name: "moderation",
	parse: func(c *store.Comment, name string, v jsontext.Value) error {
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
	},
	append: func(dst []byte, c *store.Comment) []byte {
		m := moderation{Code: c.Code, Reason: c.Reason, Reports: c.Reports}
		if c.State != item.Published {
			m.Status = c.State.String()
		}
		return appendObject(dst, m)
	},
	given: func(c *store.Comment) bool { return c.State != item.Published || c.Reports > 0 },
}

// shopReply is the shop's reply in a line.
type shopReply struct {
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt,omitzero"` // absent until the first edit
}

var shopReplyField = field{
	name: "shopReply",
	parse: func(c *store.Comment, name string, v jsontext.Value) error {
		var r shopReply
		if err := readObject(name, v, &r); err != nil {
			return err
		}
		if item.Said(r.Text) == "" {
			return errs.Invalid(name+".text", "it is missing")
		}
		if r.UpdatedAt.IsZero() {
			r.UpdatedAt = r.CreatedAt
		}
		c.Reply = &item.Reply{Text: r.Text, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
		return errs.Join(item.ValidateReply(name+".text", r.Text), item.ValidateTime(name+".createdAt", r.CreatedAt),
			item.ValidateTime(name+".updatedAt", r.UpdatedAt))
	},
	append: func(dst []byte, c *store.Comment) []byte {
		r := shopReply{Text: c.Reply.Text, CreatedAt: c.Reply.CreatedAt.UTC()}
		if !c.Reply.UpdatedAt.Equal(c.Reply.CreatedAt) {
			r.UpdatedAt = c.Reply.UpdatedAt.UTC()
		}
		return appendObject(dst, r)
	},
	given: func(c *store.Comment) bool { return c.Reply != nil },
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
