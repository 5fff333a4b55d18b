// Package lambda is the service as two AWS Lambda functions.
//
// [Web] is the API: a function URL hands it requests.
//
// [Handler] is the projector: an event source mapping reads the table's stream
// and hands it the records, with which it brings the statistics up to date.
// The checkpoint of a shard moves in the same transaction as the statistics.
// So nothing is counted twice if Lambda delivers records again, or if another
// projector reads the same stream. docs/deploy.md says how to set it up.
package lambda
