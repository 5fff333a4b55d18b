// Package lambda runs the service as two AWS Lambda functions.
//
// [Web] is the API: a function URL sends it requests.
//
// [Handler] is the projector: an event source mapping reads the table's stream and sends it the
// records, and it updates the statistics. The checkpoint of a shard moves in the same transaction
// as the statistics. So nothing is counted twice if Lambda delivers records again, or if another
// projector reads the same stream. docs/deploy.md describes the setup.
package lambda
