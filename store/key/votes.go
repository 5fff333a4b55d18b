package key

const (
	votesPrefix  = "VOTE#"
	userVoter    = "USER#"
	visitorVoter = "VISITOR#"
)

// Votes returns the partition key of the votes on a comment.
func Votes(commentID string) string { return votesPrefix + escape(commentID) }

// VotesOf is the inverse of Votes; ok is false for any other item's key.
func VotesOf(pk string) (commentID string, ok bool) { return idAfter(pk, votesPrefix) }

// Voter is who votes, the sort key of their vote on a comment: made by VoterOf or
// VisitorOf, so that no one can take the name of another writer.
type Voter string

// VoterOf returns a person as a voter, by the subject of their tokens.
func VoterOf(subject string) Voter { return Voter(userVoter + escape(subject)) }

// VisitorOf returns an anonymous visitor as a voter.
func VisitorOf(id string) Voter { return Voter(visitorVoter + escape(id)) }
