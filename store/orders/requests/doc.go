// Package requests asks buyers for reviews of what was delivered to them, and holds what the shop
// needs for it: an order's review request with the buyer's contact, and the opt-outs.
//
//	request   REQUEST#<order id>          state, times, sealed contact; in the index openOrders by state
//	                                      and by the time when the sender looks at it next
//	opt-out   OPTOUT#<hash>               an address that wants no more requests, as a keyed hash
//	month     REQUESTED#<month>           how many were sent, opened, answered …
//
// A request is written with its order. While the order is not delivered, it waits; the order's own
// transactions then make it due, or end it. A Sender decides what is next by the order, the buyer's
// comments, the opt-outs and its Policy: decide.go has the rules, which know no store. Everyone is
// asked alike: no rule knows a rating.
//
// A Sender takes a request before it sends: it moves the time of the next look on the condition that
// the request has not changed. So two senders never send one request at the same time, and a crash
// between sending and marking repeats the same message after a Lease, with the same ID.
//
// A contact is sealed, and exists in the request alone: until the request ends, and no longer than
// Kept after it was recorded.
//
// All methods that call the store return an Unavailable error if the store does not answer.
package requests
