package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
	"product-comments/store/votes"
)

// Vote makes somebody's vote on a comment the one that is given, votes.None to
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
	ctx, charge := discreetly(ctx, noBallot)
	defer func() { charge(err) }()
	product, generation, err := s.votes.Set(ctx, commentID, voter, to, s.statistics.Own().Name)
	if err != nil {
		return Comment{}, err
	}
	began := s.recent.Begin()
	it, err := s.getItem(ctx, commentID)
	if err != nil {
		return Comment{}, err
	}
	if it == nil || item.IsHidden(it) { // just now: the voter need not learn how it is by then
		return Comment{}, item.NotFound(commentID)
	}
	c, err := s.read(ctx, it)
	if err != nil || product != c.ProductID || !hasColumns(&c) || !c.Voted.IsNumbered() {
		return c.Comment, err // the names of another product's writes are not in its statistics
	}
	// Whose vote was the last one, columns have followed this one if they have it. They
	// never have the name of a vote before a rebuild touched the comment.
	defer func() { s.voted.Wrote(c.ProductID, s.t.Now()) }()
	counted := c
	counted.Generation = generation
	return c.Comment, s.left(ctx, &write{began: began, after: &counted}, c.Voted)
}

// VotesOf reads somebody's votes on comments, in their order; see votes.Of.
func (s *Store) VotesOf(ctx context.Context, voter key.Voter, commentIDs []string) ([]votes.Cast, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.votes.Of(ctx, voter, commentIDs)
}
