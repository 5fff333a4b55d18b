package key

import (
	"fmt"
	"strings"
)

const (
	requestPrefix  = "REQUEST#"
	requestsPrefix = "REQUESTS#"
	monthPrefix    = "REQUESTED#"
	optOutPrefix   = "OPTOUT#"

	// OptOutKey is the partition key of the key that hashes the addresses of opt-outs.
	OptOutKey = optOutPrefix + "KEY"
	// RequestParts is the number of partitions of the review requests in one state, which keeps any
	// of them from becoming hot.
	RequestParts = 4
)

// Request returns the partition key, and sort key, of an order's review request.
func Request(orderID string) string { return requestPrefix + escape(orderID) }

// RequestOf is the inverse of Request; ok is false for any other key.
func RequestOf(key string) (orderID string, ok bool) { return idAfter(key, requestPrefix) }

// RequestPart returns one of the partitions of the review requests in a state, 0 to RequestParts-1.
func RequestPart(state string, n int) Partition {
	return Partition{Open, fmt.Sprintf(requestsPrefix+"%s#%d", state, n)}
}

// RequestsIn returns the partition of an order's review request in a state.
func RequestsIn(state, orderID string) Partition {
	return RequestPart(state, partOf(orderID, RequestParts))
}

// inRequests reports whether a partition is one of RequestPart.
func (in Partition) inRequests() bool {
	return in.Index == Open && strings.HasPrefix(in.Value, requestsPrefix)
}

// RequestMonth returns the partition key of the counts of review requests in a month, such as 2026-11.
func RequestMonth(month string) string { return monthPrefix + month }

// OptOut returns the partition key of an opt-out, given the keyed hash of the address.
func OptOut(hash string) string { return optOutPrefix + hash }
