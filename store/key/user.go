package key

import "strings"

const (
	userPrefix  = "USER#"
	wrotePrefix = "WROTE#"
	// only replaces the position, which would begin with a digit.
	only = "ONLY"
)

// User returns the partition key of a user, given the subject of their tokens.
func User(subject string) string { return userPrefix + escape(subject) }

// guestPrefix begins the subjects of guests. No token may have such a subject.
const guestPrefix = "guest:"

// Guest returns the subject of the guest who placed an order: a buyer without an account.
func Guest(orderID string) string { return guestPrefix + orderID }

// IsGuest reports whether a subject is a guest's.
func IsGuest(subject string) bool { return strings.HasPrefix(subject, guestPrefix) }

// Wrote returns the sort key of the mark of a user's comment about a product.
func Wrote(productID string, at Position) string { return wrote(productID) + at.SortKey() }

// WroteOnly returns the sort key of the mark where a user may write only one comment about a
// product: a second item with this key cannot exist.
func WroteOnly(productID string) string { return wrote(productID) + only }

// WroteAbout returns exclusive bounds of the sort keys of a user's marks about a product.
func WroteAbout(productID string) (after, until string) { return bordersOf(wrote(productID)) }

func wrote(productID string) string { return wrotePrefix + escape(productID) + "#" }

// IsMark reports whether an item is a mark of Wrote or WroteOnly.
func IsMark(pk, sk string) bool {
	return strings.HasPrefix(pk, userPrefix) && strings.HasPrefix(sk, wrotePrefix)
}
