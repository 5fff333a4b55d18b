// Package orders stores orders, and marks of the products that users bought.
//
//	order    USER#<subject>, ORDER#<id>      status, times, revision
//	line     ORDER#<id>, LINE#<number>       product, quantity, price
//	mark     USER#<subject>, BOUGHT#<id>     number of the user's orders with this purchase
//	profile  USER#<subject>, PROFILE         time of the user's first order
//
// Items that change together are written in one transaction: an order with its lines, marks and
// profile, or its status with marks. The keys of the order's indexes are attributes of the
// order's own item, so the write that ends the status PLACED also removes the order from the
// open orders.
//
// # Messages
//
// An order's state only advances. Its status is the greatest that any message reported, in the
// order PLACED, PAID, SHIPPED, DELIVERED, RETURNED, CANCELLED; the time of each status is the
// earliest reported. So messages may arrive late, twice and in any order, with the same result.
// The lines of an order count as purchases while it is DELIVERED. Orders of erased users stay
// under the name of an ErasedUser, and count as purchases for no user.
//
// All methods that call the store return an Unavailable error if the store does not answer.
//
// # Lists
//
//	A1  a user's profile                   PK = USER#alex, SK = PROFILE
//	A2  a user's orders, newest first      byLang, USER#alex
//	A3  an order with its lines            byLangAndRating, ORDER#1
//	A4  of one status, newest first        ordersByStatus, PK = USER#alex, SHIPPED#…
//	A5  the open orders of all users       openOrders, OPEN#00 to OPEN#07, merged
//	A5  of one status, shipped before      as A4, below a date
//	A6  of one status, shipped between     as A4, between two dates
//
// A list by shipping date without a status merges the lists of all statuses that shipped orders
// can have. Every list is ordered by a time and the order's id, so a key.Position is a place in
// it, and package exec reads it like a list of comments.
package orders
