// Package sheet reads comments from CSV files: a header with the columns' names, then one row
// per comment.
//
// A map defines which field of package ndjson a column holds:
//
//	product_id=productId   a field
//	colour=attributes      an attribute with the column's name
//	colour=attributes.hue  an attribute with another name
//	state=published        rows that are not published are refused
//	hidden=unpublished     so are rows that this column says it of
//	images=photos          addresses of pictures, or names of files
//	email=-                ignored
//
// Ready maps have the columns of review apps, as far as these are documented. A column that no
// map mentions holds the field with its name, or with a name that is usual for one; otherwise it is
// ignored and reported. If it is named like one that says which rows are published, Undecided
// returns an error, so that no import publishes what a shop had hidden.
//
// Cells are plain text, which ndjson.Set and ndjson.ParseTime parse less strictly than JSON.
// Without a column for commentId, the id is derived from product, time, author, title and text, so
// that importing the same row again yields the same comment.
package sheet
