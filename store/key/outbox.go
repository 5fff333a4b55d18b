package key

import "strconv"

const (
	outboxPrefix   = "OUTBOX#"
	endpointPrefix = "ENDPOINT#"
	failedPrefix   = "FAILED#"

	// Endpoints is the partition key of all webhook endpoints; the sort key is the endpoint's id.
	Endpoints = "ENDPOINTS"
	// Head is the sort key of the item with the last position of a lane of the outbox. It sorts
	// after every position.
	Head = "HEAD"
	// Progress is the sort key of the item that says how far events are delivered to an endpoint.
	Progress = "STATE"
	// Sender is the partition key of the claim of the process that delivers events.
	Sender = outboxPrefix + "SENDER"
)

// OutboxLane returns the partition of the events of a lane, in the order of their positions.
func OutboxLane(lane int) Partition { return Partition{Table, outboxPrefix + strconv.Itoa(lane)} }

// Endpoint returns the partition key of an endpoint's progress, and of the events that could not be
// delivered to it.
func Endpoint(id string) string { return endpointPrefix + escape(id) }

// Failed returns the span of the events that could not be delivered to an endpoint, by position.
func Failed(endpoint string) Span {
	return Span{Partition: Partition{Table, Endpoint(endpoint)}, Prefix: failedPrefix, From: failedPrefix,
		To: "FAILED$"} // $ is the character after #
}
