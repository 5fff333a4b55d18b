// Package cases knows which comments wait for moderators, and what was decided and reported about
// comments: it stores the queue of pending and reported comments, its counts, and the history of
// decisions. All methods that call the store return an Unavailable error if the store does not
// answer.
//
//	comment item    st, why, reports: its state, the reason, reports since the last decision
//	                since, dec: when it began to wait, and moderators' decisions, for counts by month
//	CASE#<id>       QUEUED           its entry in the queue, while it is in the queue: index keys only
//	CASE#<id>       DECISION#<time>  an entry of its history
//	CASE#<id>       REPORT#<person>  a user's report of it, with the reason
//	CASE#<id>       LOOKS            which moderators look at it, for a minute each
//	CASES#<part>    COUNTS           counts of comments in the queue, maintained from the stream
//	MONTHS#<part>   2026-11          counts of comments and decisions in a month, likewise
//	PRODUCT#<id>    MODERATION       a product's own mode, if it differs from the shop's
//	USER#<person>   PACE             times of a user's last comments, if their number is limited
//
// Only published comments have index keys, so comments in other states are in no list, copy,
// attribute index or statistic. A comment changes its state, its entry in the queue and its history
// in one transaction.
package cases
