package double

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Change is a change of an item that took effect.
type Change struct {
	Before, After map[string]types.AttributeValue // nil where there is none; not to be altered
	// Where the stream tells of it; empty without one.
	Shard, Sequence string
}

// tell tells of a change, if anybody wants to know. What no call does, such as
// an item's expiry, has no context of a caller.
func (db *DB) tell(c Change) {
	if db == nil || db.o.Committed == nil {
		return
	}
	ctx := db.caller
	if ctx == nil {
		ctx = context.Background()
	}
	db.o.Committed(ctx, c)
}
