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

// Voter is the sort key of a voter's vote on a comment. VoterOf and VisitorOf create it, so
// that a visitor cannot use a user's name.
type Voter string

// VoterOf returns the voter for a user, given the subject of their tokens.
func VoterOf(subject string) Voter { return Voter(userVoter + escape(subject)) }

// VisitorOf returns the voter for an anonymous visitor.
func VisitorOf(id string) Voter { return Voter(visitorVoter + escape(id)) }
