package model

import "product-comments/store/votes"

// VoteOf returns a vote of the schema as the store has it; nil is none.
func VoteOf(v *Vote) votes.Vote {
	switch {
	case v == nil:
		return votes.None
	case *v == VoteHelpful:
		return votes.Helpful
	default:
		return votes.Unhelpful
	}
}

// NewVote is the inverse of VoteOf.
func NewVote(v votes.Vote) *Vote {
	var out Vote
	switch v {
	case votes.Helpful:
		out = VoteHelpful
	case votes.Unhelpful:
		out = VoteUnhelpful
	default:
		return nil
	}
	return &out
}
