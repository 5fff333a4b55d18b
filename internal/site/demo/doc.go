// Package demo has comments for trying queries, and loads them into an empty table. They
// belong to a shop for backpacks, were generated once, and are in the import format:
//
//   - Product 42 has about 6,000 comments, a few products have hundreds, most
//     have a few, and product 1 has exactly one.
//   - More than half are rated 5. The bad ratings come in waves, each a few
//     weeks of a bad batch, with hundreds of comments without a 1 in between.
//   - Sales make days of hundreds of comments.
//   - Comments before September 2024 have the time midnight, as if imported from a shop that
//     stored only the day, so that many have the same time.
//   - Most have attributes, such as comfort: the group of all products defines four, product
//     42 defines another one.
//   - Some twenty people ordered things, from placed to returned. They and the visitor
//     wrote comments, a few of which wait for a moderator, were rejected or reported.
//   - The comments are in six languages, and from one word to several pages long.
package demo
