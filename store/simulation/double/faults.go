package double

import (
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
)

// Faults are what befalls a process's calls: each the probability, 0 to 1, that
// it happens to a call of those that it can concern.
type Faults struct {
	// These refuse a call before it has any effect. Throttled and Internal are
	// what is left after the SDK gave up. Conflict concerns writes of single
	// items and transactions: another transaction is under way.
	Throttled, Conflict, Internal, Unreachable float64
	// Lost calls take effect, and then the connection breaks.
	Lost float64
	// Repeated calls take effect, and up to a second later are executed once
	// more, whose answer counts: so the SDK repeats a call whose answer was lost.
	// Reads only take longer.
	Repeated float64
	// PartialBatch leaves some keys or writes of a batch unprocessed.
	PartialBatch float64
	// EmptyRecords answers without records although more follow.
	EmptyRecords float64
	// StaleList lists the shards as they were up to some seconds ago. If it is
	// not zero, the lists are also in no order: a child may come before its parent.
	StaleList       float64
	ExpiredIterator float64
	// Latency is how long a call takes at most, beside two microseconds, a part
	// before and a part after its effect.
	Latency time.Duration
}

// fate is what befalls one call.
type fate struct {
	before, after time.Duration // of the call's time
	refusal       error         // nil if it takes effect
	lost          bool
	repeated      time.Duration // until it is executed once more; 0 if it is not
}

// repeatWithin is how long the SDK waits at most until it repeats a call.
const repeatWithin = time.Second

// leastTime is what every part of a call takes, so that nothing can be done
// endlessly often in no time.
const leastTime = time.Microsecond

// draw decides about a call.
func (f Faults) draw(call *call, dice *rand.Rand) fate {
	var out fate
	total := time.Duration(dice.Int64N(int64(max(f.Latency, leastTime))))
	before := time.Duration(dice.Int64N(int64(total) + 1))
	out.before, out.after = leastTime+before, leastTime+total-before
	// Always the same number of draws: one fault more does not alter the others.
	throttled, conflict, internal := dice.Float64() < f.Throttled, dice.Float64() < f.Conflict, dice.Float64() < f.Internal
	unreachable, lost, repeated := dice.Float64() < f.Unreachable, dice.Float64() < f.Lost, dice.Float64() < f.Repeated
	pause := time.Duration(1 + dice.Int64N(int64(repeatWithin)))
	switch {
	case unreachable:
		out.refusal = unanswered(call.service, call.operation, errUnreachable)
	case internal:
		out.refusal = gaveUp(call.service, call.operation, call.internal())
	case throttled:
		out.refusal = call.throttled(dice)
	case conflict && call.conflict != nil:
		out.refusal = answered(call.service, call.operation, call.conflict(dice))
	}
	out.lost = lost
	if repeated {
		out.repeated = pause
	}
	return out
}

func (c *call) internal() error {
	if c.service == streamsService {
		return &streams.InternalServerError{Message: aws.String("Internal server error")}
	}
	return &types.InternalServerError{Message: aws.String("Internal server error")}
}

// throttled is one of the errors of a request that comes too soon.
func (c *call) throttled(dice *rand.Rand) error {
	const tooFast = "Throughput exceeds the current capacity of your table or index"
	var err error = &smithy.GenericAPIError{Code: "ThrottlingException", Message: tooFast, Fault: smithy.FaultClient}
	other := dice.IntN(2) == 0
	switch {
	case !other:
	case c.service == streamsService:
		err = &streams.LimitExceededException{Message: aws.String("Too many readers of a shard")}
	case c.items > 0: // a transaction is not repeated by the SDK
		return answered(c.service, c.operation, canceledBy(c.items, "ThrottlingError", tooFast, dice))
	default:
		err = &types.ProvisionedThroughputExceededException{Message: aws.String(tooFast)}
	}
	return gaveUp(c.service, c.operation, err)
}

// canceledBy cancels a transaction of that many items for a reason with one of them.
func canceledBy(items int, code, message string, dice *rand.Rand) error {
	reasons := make([]types.CancellationReason, items)
	for i := range reasons {
		reasons[i].Code = aws.String("None")
	}
	i := dice.IntN(items)
	reasons[i] = types.CancellationReason{Code: &code, Message: &message}
	return canceled(reasons)
}
