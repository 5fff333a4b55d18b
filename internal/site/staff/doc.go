// Package staff renders the desk of a shop's staff:
//
//   - GET /staff is the queue: comments that wait for a decision.
//   - GET /staff/reviews lists comments of a product, an author or a state.
//   - GET /staff/reports lists comments that were reported.
//   - GET /staff/requests lists review requests, /staff/orders open orders, or one order.
//   - GET /staff/events lists webhook endpoints and what they did not get, for services.
//   - GET /staff/numbers has charts of months; each is also a CSV below it.
//   - GET /staff/comments/{id} is a comment with its history. POST to a path below it decides.
//
// The package calls the GraphQL API in the process like any client, for the person whom the request's
// context has. It knows nothing of sessions: what is before it in the server signs in. Every page works
// without a script; the script posts the same forms.
package staff
