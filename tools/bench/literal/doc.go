// Command literal serves the comments of a product the way part 3 of the
// series describes, so that `make bench` can measure against it:
//
//	GET /products/{id}/comments?language=&rating=&rating=&cursor=&first=20
//
// It takes the text at its word. Every chosen rating is a query of its own, all of them in
// parallel and each for a whole page. The answers are merged, cut to one page, and the rest
// is thrown away, to be read again for the next page. The cursor is the map of every
// partition's LastEvaluatedKey as DynamoDB spells it, JSON in base64.
//
// What follows from that, and is left as it is:
//
//   - A page of n ratings costs n times the read units of a page.
//   - The cursor grows with the number of ratings, tells the table's layout to
//     everyone and believes what comes back.
//   - hasNextPage may be true before an empty page: DynamoDB returns a
//     LastEvaluatedKey whenever the limit was reached.
//   - A partition that showed nothing resumes one character before its first
//     item. If several comments have one nanosecond and ids of different
//     lengths, that place may lie before comments that were shown already.
//
// Everything else is as good as ours: the same indexes, the SDK tuned the same,
// the same fields in the answer. It knows nothing of packed texts, so its table
// must hold plain ones.
package main
