// Package reviews renders the comments of a product as a section of a page, for shops that want no
// front end of their own:
//
//   - GET /reviews/{productId} is a whole page, and its part /section the fragment that a shop
//     includes on its server.
//   - GET /reviews/{productId}/form is the form to write a comment, which POST /reviews/{productId}
//     takes.
//   - GET /reviews.js is a custom element that adds to an included section what needs a token, and
//     follows its links in place. GET /reviews.css is its style.
//   - GET /reviews/labels/{language}.json has all that a section says, in a language.
//
// The package asks the GraphQL API in the process, as any client would, so a request for a section
// has the limits, budgets and deadlines of the operations that it needs. A section contains
// published comments alone. It is the same for everyone, so caches may store it.
package reviews
