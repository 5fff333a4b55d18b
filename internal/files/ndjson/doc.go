// Package ndjson is the interchange format of comments: one JSON object per line.
//
//	{"productId":"42","commentId":"c-1","rating":5,"language":"en","createdAt":"2026-06-30T12:00:00Z"}
//
// These five fields are required. Optional fields are:
//
//	author, title, text            strings
//	verifiedPurchase               a boolean
//	incentive                      what the author got: DISCOUNT, FREE_PRODUCT, PAID, CONTEST, EMPLOYEE or NONE
//	experiencedAt                  when the author used the product, a time
//	invited                        a boolean: the author was asked for the comment
//	helpful                        an integer: how many visitors found the comment helpful
//	helpfulVotes, unhelpfulVotes   integers: additional votes in this service
//	attributes                     an object of plain values, preserved except for white space
//	moderation                     an object: status, reason and number of reports
//	photos                         a list of objects: file or url, description; exports have id, width,
//	                               height, placeholder, too. Without file and url an import leaves it out
//	shopReply                      an object: text, createdAt, updatedAt
//
// An optional field that is null or an empty string is the same as an absent one, and so is an
// author, a title or a text of white space.
//
// Field names are matched exactly, and fields and attributes must be unique. A line must be
// valid Unicode, without unpaired surrogates. Unknown members are ignored, so that exports of
// other systems can be read; Reader.Read returns their names to reveal typing errors, and in
// strict mode refuses the line. Types are strict: the id 42 is "42", not 42.
//
// Times are in RFC 3339 format with up to nine decimals of a second and any offset; they are
// written in UTC. Set and ParseTime parse values from other sources, such as cells of a spreadsheet
// or defaults of the command line.
package ndjson
