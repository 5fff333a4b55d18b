// Package moderation decides whether comments are shown, and keeps what moderators see:
// the queue of comments that wait for them or were reported, how many these are, and who
// decided what.
//
//	comment item    st, why, reports: its state, the reason, reports since the last decision
//	CASE#<id>       QUEUED           its place in the queue, as long as it is in it: index keys alone
//	CASE#<id>       DECISION#<time>  an entry of its history
//	CASE#<id>       REPORT#<person>  that a user reported it, and why
//	CASES#<part>    COUNTS           how many comments are in the queue, kept from the stream
//	PRODUCT#<id>    MODERATION       how a product's comments are moderated, if not as the shop's
//	USER#<person>   PACE             when a user wrote last, where that is bounded
//
// Only published comments have index keys, so all others are in no list, copy, column or
// statistic, whatever is read. A comment changes its state, its place in the queue and
// its history in one transaction.
package moderation
