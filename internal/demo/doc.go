// Package demo makes comments to look at and to try queries on, and loads them
// into an empty table. They are of a shop for backpacks, were generated once, and
// are kept in files of lines as import reads them:
//
//   - Product 42 has about 6,000 comments, a few products have hundreds, most
//     have a few, and product 1 has exactly one.
//   - More than half are rated 5. The bad ratings come in waves, each a few
//     weeks of a bad batch, with hundreds of comments without a 1 in between.
//   - Sales make days of hundreds of comments.
//   - Those before September 2024 came from an older shop that knew only the
//     day, so that many have the same time.
//   - Most say something of attributes, such as how comfortable it is to wear:
//     a group that all products are in defines four, product 42 one beside.
//   - Some twenty people ordered things, from placed to returned. They and the visitor
//     wrote comments, a few of which wait for a moderator, were rejected or reported.
//   - They are in six languages, and from one word to several pages long.
package demo
