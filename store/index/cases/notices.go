package cases

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/go-json-experiment/json"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// MostNotices is the number of notices about a comment that wait for a decision at most: a decision
// forgets who made them, in its own transaction.
const MostNotices = 20

// contact is what is sealed of a notice.
type contact struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

var receipts = base32.StdEncoding.WithPadding(base32.NoPadding)

// Notice returns the report that a notice makes, and its receipt: the same for the same address and
// comment, so that each person counts once. Without the keys the receipt does not show the address.
func (s *Cases) Notice(commentID string, n moderation.Notice) (r moderation.Report, receipt string, err error) {
	if s.contacts == nil {
		return r, "", errs.Errorf(errs.Internal, "no key seals the address: give this process the keys of the servers with --cursor-keys-file")
	}
	who, err := s.contacts.Seal([]byte(strings.ToLower(n.Email)), []byte("receipt of "+commentID))
	if err != nil {
		return r, "", err
	}
	digest := sha256.Sum256(who)
	receipt = strings.ToLower(receipts.EncodeToString(digest[:10]))
	r = moderation.Report{By: key.Notifier(receipt), Reason: n.Reason}
	text, err := json.Marshal(contact{n.Name, n.Email})
	if err == nil {
		r.Contact, err = s.contacts.Seal(text, []byte(r.By))
	}
	return r, receipt, err
}

// Contact returns the name and the address of the person who made a report without a token; empty
// for other reports, and after a moderator decided.
func (s *Cases) Contact(r moderation.Report) (name, email string, err error) {
	switch {
	case r.Contact == nil:
		return "", "", nil
	case s.contacts == nil:
		return "", "", errs.Errorf(errs.Internal, "no key opens the addresses of reports: give this process the keys of the servers with --cursor-keys-file")
	}
	var c contact
	text, err := s.contacts.Open(r.Contact, []byte(r.By))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return "", "", errs.Wrap(errs.Internal, err, "the address of the report %s cannot be read", item.Printable(r.By))
	}
	return c.Name, c.Email, nil
}

// Forget returns the writes that remove the contacts of a comment's notices, for the transaction of
// a decision. It reads them, unless the comment has none.
func (s *Cases) Forget(ctx context.Context, c *item.Stored) (writes []table.Write, err error) {
	if c.Notices == 0 {
		return nil, nil
	}
	pk := key.Case(c.ID)
	after, until := key.Notices()
	q := table.Query{Partition: key.Partition{Index: key.Table, Value: pk}, Descending: true, Consistent: true,
		After: map[string]string{key.PK: pk, key.SK: until}, Until: after}
	for it, err := range s.t.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if moderation.HasContact(it) {
			writes = append(writes, moderation.Forgotten(it))
		}
	}
	return writes, nil
}
