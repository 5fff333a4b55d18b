// Package sheet reads comments from CSV as shops have it: a header with the
// columns' names, then a row a comment.
//
// A map says which field of package ndjson a column holds:
//
//	product_id=productId   a field
//	colour=attributes      an attribute of the column's name
//	colour=attributes.hue  one of another name
//	state=published        rows that are not published are refused
//	email=-                left out
//
// Ready maps know the columns of review apps, as far as these document them. A
// column that no map mentions holds the field of its own name, if there is one;
// otherwise it is left out, and told.
//
// Cells are plain text, which ndjson.Set takes more freely than JSON. Without a
// column for commentId an id is made from product, time, author, title and text,
// so that the same row is the same comment whenever it is imported.
package sheet
