package store

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/pending/names"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Vote sets a voter's vote on a comment, or withdraws it with votes.None, and returns the comment
// with the new counts. A voter has at most one vote on a comment. Voting changes neither the
// comment's version nor cached pages. Vote returns BadUserInput for an invalid id, NotFound if
// there is no such published comment, or the error of guard; repeating the call is safe.
func (s *Store) Vote(
	ctx context.Context, commentID string, voter key.Voter, to votes.Vote, guard Guard,
) (Comment, error) {
	if err := item.ValidateCommentID("commentId", commentID); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	product, generation, err := s.votes.Set(ctx, commentID, voter, to, guard.check, s.pendingVote)
	if err != nil {
		return Comment{}, err
	}
	began := s.pending.Begin()
	it, err := s.getItem(ctx, commentID)
	if err != nil {
		return Comment{}, err
	}
	if it == nil || item.IsHidden(it) { // unpublished since the vote
		return Comment{}, item.NotFound(commentID)
	}
	c, err := s.read(it)
	last := names.Name(c.Voted)
	if err != nil || product != c.ProductID || c.Defined == "" || !last.IsNumbered() {
		return c.Comment, err // the write's name belongs to another product's statistics
	}
	// The comment has the name of its last vote only. Lists that have projected that name have
	// projected this vote too.
	s.pending.Vote(last, generation, &c)
	return c.Comment, s.acknowledge(ctx, &write{began: began, after: &c, name: c.Voted})
}

// pendingVote returns a name for a vote on a comment of a product.
func (s *Store) pendingVote(product string) item.Writes { return item.Writes(s.pending.Name(product)) }

// VotesOf reads a voter's votes on comments, in their order; see votes.Votes.
func (s *Store) VotesOf(ctx context.Context, voter key.Voter, commentIDs []string) ([]votes.Cast, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.votes.Votes(ctx, voter, commentIDs)
}
