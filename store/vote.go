package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pending/names"
	"product-comments/store/table"
	"product-comments/store/votes"
)

// Vote makes a voter's vote on a comment the one that is given, votes.None to
// withdraw it, and returns the comment with the counts after it. A voter counts once,
// however often they vote. The comment's version stays, and what was read of its
// lists. It returns BadUserInput for an id that no comment has, NotFound if there is
// no such comment, and Unavailable if the store does not answer; to call it again is
// safe.
func (s *Store) Vote(ctx context.Context, commentID string, voter key.Voter, to votes.Vote) (voted Comment, err error) {
	if err := item.ValidateCommentID("commentId", commentID); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	ctx, charge := chargeAbsence(ctx, noBallot)
	defer func() { charge(err) }()
	product, generation, err := s.votes.Set(ctx, commentID, voter, to, s.pendingVote)
	if err != nil {
		return Comment{}, err
	}
	began := s.pending.Begin()
	it, err := s.getItem(ctx, commentID)
	if err != nil {
		return Comment{}, err
	}
	if it == nil || item.IsHidden(it) { // just now: the voter need not learn how it is by then
		return Comment{}, item.NotFound(commentID)
	}
	c, err := s.read(ctx, it)
	last := names.Name(c.Voted)
	if err != nil || product != c.ProductID || c.Defined == "" || !last.IsNumbered() {
		return c.Comment, err // the names of another product's writes are not in its statistics
	}
	// Whose vote was the last one, lists have followed this one if they have it. They
	// never have the name of a vote before a rebuild touched the comment.
	s.pending.Vote(last, generation, &c)
	return c.Comment, s.acknowledge(ctx, &write{began: began, after: &c, name: c.Voted})
}

// pendingVote names a vote on a comment of a product.
func (s *Store) pendingVote(product string) item.Writes { return item.Writes(s.pending.Name(product)) }

// VotesOf reads a voter's votes on comments, in their order; see votes.Votes.
func (s *Store) VotesOf(ctx context.Context, voter key.Voter, commentIDs []string) ([]votes.Cast, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.votes.Votes(ctx, voter, commentIDs)
}
