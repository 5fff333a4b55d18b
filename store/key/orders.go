package key

import (
	"fmt"
	"strings"
	"time"
)

const (
	// Profile is the sort key of a user's profile, which has the time of their first order.
	Profile = "PROFILE"

	// OrderStatusDate is the sort key of OrdersByStatus: a status, then a time, then
	// the order's id. Only orders have it.
	OrderStatusDate = "OrderStatusDate"
	// PlacedID is the partition key of Open. Only orders with the status PLACED, review requests and
	// comments with photos have it.
	PlacedID = "PlacedId"

	orderPrefix  = "ORDER#"
	linePrefix   = "LINE#"
	boughtPrefix = "BOUGHT#"
	openPrefix   = "OPEN#"
)

// The sparse indexes.
var (
	// OrdersByStatus has a person's orders by status and time (A4 to A6).
	OrdersByStatus = Index{"ordersByStatus", PK, OrderStatusDate}
	// Open has the orders with the status PLACED (A5), review requests by state and time, and comments
	// with photos.
	Open = Index{"openOrders", PlacedID, GSISK}
)

// Order returns the sort key of an order in its user's partition. It is also the partition key
// of the order's lines, and of order and lines together in byLangAndRating (A3).
func Order(id string) string { return orderPrefix + escape(id) }

// OrderID is the inverse of Order; ok is false for any other key.
func OrderID(key string) (id string, ok bool) { return idAfter(key, orderPrefix) }

// OfAnyPurchase returns the common prefixes of the keys of purchases.
func OfAnyPurchase() (pk, sk string) { return userPrefix, boughtPrefix }

// Line returns the sort key of a line of an order, counted from 1. In byLangAndRating it sorts
// after the order's own key, which begins with a digit.
func Line(n int) string { return fmt.Sprintf(linePrefix+"%04d", n) }

// OrderWithLines returns the partition of an order and its lines (A3).
func OrderWithLines(id string) Partition { return Partition{ByLangAndRating, Order(id)} }

// OrdersOf returns the partition, in byLang, of a user's orders by the time when they were
// placed.
func OrdersOf(username string) Partition { return Partition{ByLang, User(username)} }

// StatusesOf returns the partition of a user's orders by status and time.
func StatusesOf(username string) Partition { return Partition{OrdersByStatus, User(username)} }

// OpenPartitions is the number of partitions of open orders, which keeps any of them from
// becoming hot: a partition takes 1,000 write units a second.
const OpenPartitions = 8

// OpenOf returns the partition of an open order.
func OpenOf(orderID string) Partition { return OpenPartition(partOf(orderID, OpenPartitions)) }

// OpenPartition returns one of the partitions of open orders, 0 to OpenPartitions-1.
func OpenPartition(n int) Partition { return Partition{Open, fmt.Sprintf(openPrefix+"%02d", n)} }

// dateForm is the format of a time in OrderStatusDate: RFC 3339 in UTC with fixed width, so
// that strings compare like times.
const dateForm = "2006-01-02T15:04:05.000000000Z"

// Unshipped is the value in positions of orders without a shipping date, in lists by shipping
// date. It sorts before any digit, so that no range of dates contains these orders.
const Unshipped = "-"

// StatusDate returns the OrderStatusDate of an order with a status and a position in the list
// by shipping date.
func StatusDate(status string, at Position) string { return status + "#" + at.statusDate() }

// ByStatus returns the span of a user's orders of a status.
func ByStatus(username, status string) Span {
	s := Span{Partition: StatusesOf(username), Prefix: status + "#"}
	s.From, s.To = bordersOf(s.Prefix)
	return s
}

// Shipped returns the span of a user's orders of a status that were shipped at from or later
// and before another time; a zero time is an open end.
func Shipped(username, status string, from, before time.Time) Span {
	s := ByStatus(username, status)
	s.From += "0"
	return s.Within(Times{from, before})
}

// statusDate spells a position in a list by shipping date.
func (p Position) statusDate() string {
	return p.Value + p.CreatedAt.UTC().Format(dateForm) + "#" + escape(p.CommentID)
}

// parseStatusDate is the inverse of statusDate.
func parseStatusDate(s string) (p Position, ok bool) {
	rest, unshipped := strings.CutPrefix(s, Unshipped)
	date, id, ok := strings.Cut(rest, "#")
	if !ok || len(date) != len(dateForm) {
		return p, false
	}
	at, err := time.Parse(dateForm, date)
	if id, ok = unescape(id); err != nil || !ok {
		return p, false
	}
	if p = (Position{CreatedAt: at, CommentID: id}); unshipped {
		p.Value = Unshipped
	}
	return p, true
}

// Bought returns the sort key of the mark that counts a user's orders with a purchase of a
// product.
func Bought(productID string) string { return boughtPrefix + escape(productID) }

// BoughtBy returns the user and the product of a mark of Bought; ok is false for any other
// item.
func BoughtBy(pk, sk string) (username, productID string, ok bool) {
	username, isUser := idAfter(pk, userPrefix)
	productID, isMark := idAfter(sk, boughtPrefix)
	return username, productID, isUser && isMark
}

// Username is the inverse of User; ok is false for any other item's key.
func Username(pk string) (name string, ok bool) { return idAfter(pk, userPrefix) }
