// Package reviews renders the comments of a product as a section of a page, for shops without a front
// end of their own:
//
//   - GET /reviews/{productId} is a whole page. GET /reviews/{productId}/section is the section alone,
//     a fragment that a shop includes on its server.
//   - GET /reviews/{productId}/form is the form for a comment. POST /reviews/{productId} submits it.
//   - GET /write/{invitation} is the page on which a buyer writes without signing in. POST submits its
//     form.
//   - GET /reviews.js is a custom element. In an included section it follows links in place, and adds
//     the actions that need a token. GET /reviews.css is its style.
//   - GET /reviews/labels/{language}.json has the texts of a section in a language.
//
// The package calls the GraphQL API in the process like any client. So a request for a section has
// the limits, budgets and deadlines of the operations that it needs. A section contains only
// published comments. It is the same for everyone, so caches may store it.
package reviews
