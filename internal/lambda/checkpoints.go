package lambda

import (
	"context"

	"product-comments/store"
)

// maxCheckpoints bounds what an instance remembers. Shards are replaced every
// few hours.
const maxCheckpoints = 64

// checkpoints are those that this instance moved last, by shard, which spares
// a read with every event. An outdated one costs a transaction that fails, many
// times a read: so they are no longer kept once somebody else was seen to move
// them, such as another instance that gets every second event.
type checkpoints struct {
	own    map[string]*store.Checkpoint
	shared bool
}

// take returns the checkpoint of a shard, for nobody else to use until keep.
func (h *Handler) take(ctx context.Context, shard string) (*store.Checkpoint, error) {
	h.mu.Lock()
	c := h.checkpoints.own[shard]
	delete(h.checkpoints.own, shard)
	h.mu.Unlock()
	if c != nil {
		return c, nil
	}
	return h.store.Checkpoint(ctx, shard)
}

// keep remembers a checkpoint after a projection that succeeded. After one
// that failed it may be outdated: the last transaction may have taken effect
// although its answer did not arrive.
func (h *Handler) keep(c *store.Checkpoint, done store.Projected) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := &h.checkpoints
	k.shared = k.shared || done.Retries > 0
	if k.shared || k.own == nil || len(k.own) >= maxCheckpoints {
		k.own = map[string]*store.Checkpoint{}
	}
	if !k.shared {
		k.own[c.ShardID] = c
	}
}
