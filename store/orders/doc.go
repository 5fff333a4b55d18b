// Package orders keeps what people bought: their orders, and marks that say so for each
// product.
//
//	order    USER#<subject>, ORDER#<id>      its status and times, a revision
//	line     ORDER#<id>, LINE#<number>       a product, how many, at which price
//	mark     USER#<subject>, BOUGHT#<id>     how many orders make it their purchase
//	profile  USER#<subject>, PROFILE         when their first order was placed
//
// What changes at once is one transaction: an order with its lines, marks and profile,
// or its status with marks. The keys that its indexes follow are attributes of the
// order's own item, so an order that is no more PLACED leaves the open ones with the
// same write.
//
// # Messages
//
// An order's state only grows: its status is the greatest that anybody told of, in the
// order PLACED, PAID, SHIPPED, DELIVERED, RETURNED, CANCELLED, and the time of each
// status the earliest that was told. So messages may come late, twice and in any order,
// and come to the same. An order makes what is in it a purchase while it is DELIVERED.
// Orders of people who were erased stay as those of Nobody, and are nobody's purchases.
//
// # Lists
//
//	A1  who a user is                    PK = USER#alex, SK = PROFILE
//	A2  a user's orders, newest first    byLang, USER#alex
//	A3  an order with its lines            byLangAndRating, ORDER#1
//	A4  of one status, newest first        ordersByStatus, PK = USER#alex, SHIPPED#…
//	A5  the open orders of all             openOrders, OPEN#00 to OPEN#07, merged
//	A5  of one status, shipped before      as A4, below a border
//	A6  of one status, shipped between     as A4, between two
//
// Shipping dates without a status are those of all statuses that shipped orders can
// have, merged. Every list has one order, that of a time and the order's id, so that a
// key.Position is a place in it, and package exec reads it as it reads lists of comments.
package orders
