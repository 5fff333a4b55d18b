// Package lambda is the projector as an AWS Lambda function: an event source
// mapping reads the table's stream and hands its records to [Handler.Handle],
// which brings the statistics up to date with them.
//
// The checkpoint of a shard moves in the same transaction as the statistics.
// So nothing is counted twice if Lambda delivers records again, or if another
// projector reads the same stream. docs/lambda.md says how to set it up.
package lambda
