package store

import (
	"context"
	"time"

	"product-comments/store/table"
)

// invitationUsed is the reason of the Conflict for an invitation whose comment was deleted.
const invitationUsed = "invitation_used"

func (n NewComment) invited() bool { return !n.InvitedUntil.IsZero() }

// invitedItem returns the item that maps a person and a product to the comment that an invitation
// permitted. It outlives the comment, so that an invitation cannot be used again. The text has more
// parts than that of an idempotencyItem.
func invitedItem(owner, product, commentID string, until time.Time) table.Item {
	return memoryItem("invitation\x00"+product+"\x00\x00"+owner, commentID, until)
}

// invitedBefore returns the id of the comment that an invitation permitted before, "" for none.
func (s *Store) invitedBefore(ctx context.Context, owner, product string) (string, error) {
	memory, err := s.t.Get(ctx, "the invitation", table.Primary(invitedItem(owner, product, "", time.Time{})))
	return table.Text(memory, attrCommentID), err
}

// Invited returns the one comment that an invitation of a person for a product permits to read and
// change: the one that was written with an invitation, else the person's newest. It is nil if there
// is none.
func (s *Store) Invited(ctx context.Context, owner, product string) (*Comment, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	id, err := s.invitedBefore(ctx, owner, product)
	if err == nil && id == "" {
		var wrote Wrote
		if wrote, err = s.wroteAbout(ctx, owner, product); len(wrote.Places) > 0 {
			id = wrote.Places[0].CommentID
		}
	}
	if err != nil || id == "" {
		return nil, err
	}
	c, err := s.Get(ctx, id)
	if c != nil && (c.Owner != owner || c.ProductID != product) { // erased, or changed by an import
		c = nil
	}
	return c, err
}
