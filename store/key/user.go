package key

import "strings"

const (
	userPrefix  = "USER#"
	wrotePrefix = "WROTE#"
	// only stands instead of a position, which begins with a digit.
	only = "ONLY"
)

// User returns the partition key of what is stored about a person: the subject of
// their tokens.
func User(subject string) string { return userPrefix + escape(subject) }

// Wrote returns the sort key of the mark that says that a person wrote a comment
// about a product.
func Wrote(productID string, at Position) string { return wrote(productID) + at.SortKey() }

// WroteOnly returns the sort key of that mark where a person may write one comment
// about a product: there can be no second item with it.
func WroteOnly(productID string) string { return wrote(productID) + only }

// WroteAbout returns the borders between which the sort keys of a person's marks
// about a product lie; neither border is one.
func WroteAbout(productID string) (after, until string) { return bordersOf(wrote(productID)) }

func wrote(productID string) string { return wrotePrefix + escape(productID) + "#" }

// IsMark reports whether an item is a mark of Wrote or WroteOnly.
func IsMark(pk, sk string) bool {
	return strings.HasPrefix(pk, userPrefix) && strings.HasPrefix(sk, wrotePrefix)
}
