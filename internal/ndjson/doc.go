// Package ndjson is the interchange format of comments: one JSON object a
// line.
//
//	{"productId":"42","commentId":"c-1","rating":5,"language":"en","createdAt":"2026-06-30T12:00:00Z"}
//
// These five fields are required. Optional are author, title and text
// (strings), verifiedPurchase (true or false), helpful (an integer, how many
// found the comment helpful), helpfulVotes and unhelpfulVotes (integers, how
// many voted here beside that), attributes (an object of plain values, kept
// as it is spelled except for white space between its parts), moderation (an object
// that says how the comment stands: status, reason, and how many reports) and shopReply
// (what the shop answered: text, createdAt, updatedAt). An optional
// field that is null or an empty string is the same as an absent one, and so is an
// author, a title or a text of white space alone.
//
// Field names are matched exactly, and a field may be given once, as each attribute may.
// A line is valid Unicode: half a surrogate pair is refused, too. Members with
// other names are left out, so that exports of other systems can be read as
// they are; Reader.Read returns their names so that a typing error is noticed,
// and refuses such a line if it is to be strict. Types are strict: the id 42 is
// "42", not 42.
//
// Times are RFC 3339 with up to nine decimals of a second, any offset; they
// are written in UTC. What is plain text at first, such as a cell of a
// spreadsheet or a default of the command line, is set by Set.
package ndjson
