package double

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Change is a change of an item that took effect.
type Change struct {
	Before, After map[string]types.AttributeValue // nil for no item; read-only
	// The position of the record in the stream; empty without a stream.
	Shard, Sequence string
}

// committed calls Options.Committed, if it is set. Changes without a call, such as the expiry of an
// item, get the background context.
func (db *DB) committed(c Change) {
	if db == nil || db.o.Committed == nil {
		return
	}
	ctx := db.caller
	if ctx == nil {
		ctx = context.Background()
	}
	db.o.Committed(ctx, c)
}
