// Command literal serves the comments of a product the way part 3 of the
// series describes, so that `make bench` can measure against it:
//
//	GET /products/{id}/comments?language=&rating=&rating=&cursor=&first=20
//
// Every selected rating is a separate query, all of them in parallel and each for a whole
// page. The answers are merged and cut to one page; the rest is discarded, and read again for
// the next page. The cursor is the map of every partition's LastEvaluatedKey, JSON in base64.
//
// Known consequences:
//
//   - A page of n ratings costs n times the read units of a page.
//   - The cursor grows with the number of ratings, reveals the table's layout, and is not
//     authenticated.
//   - hasNextPage may be true before an empty page: DynamoDB returns a
//     LastEvaluatedKey whenever the limit was reached.
//   - A partition of which nothing was shown resumes one character before its first item. If
//     several comments have the same time and ids of different lengths, that position may be
//     before comments that were shown already.
//
// Everything else equals the service: the same table with compressed texts, the same tuning of the
// SDK, the same fields in the answer.
package main
