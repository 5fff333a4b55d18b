// Package outbox holds what leaves the table: the events of comments, and how far they are delivered
// to each endpoint.
//
//	stream record ──▶ Of ──▶ events ──▶ the transaction that moves the projector's checkpoint
//	                                                    │
//	                          OUTBOX#0 … OUTBOX#7: HEAD, events by position
//	                                                    │
//	             Sender: one process at a time, a cursor and retries for each endpoint
//
// An event is written exactly once, in the transaction in which its change takes effect on all
// derived data, so none is lost and none is invented. It is delivered at least once: a repeat has
// the same id. The events of a lane of the projector are one list, and their positions only grow:
// the transaction that appends to a lane has the condition that the lane's head has not moved. So a
// reader that has read up to the head has seen every event before it.
//
// Events are written only for changes that an endpoint wants. They expire after seven days.
//
// All methods that call the store return an Unavailable error if the store does not answer.
package outbox
