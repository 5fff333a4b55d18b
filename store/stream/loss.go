package stream

import (
	"context"

	"product-comments/store"
)

// fresh tells whether there is no checkpoint yet: nobody has read the shard, or
// not for long.
func fresh(at *store.Checkpoint) bool {
	return at.Sequence == "" && !at.Done && at.ReadAt.IsZero()
}

// checkParent settles, before a shard is read for the first time, whether its
// parent was read to its end although the stream no longer lists it.
func (c *Consumer) checkParent(ctx context.Context, sh *shard, meta store.Meta) error {
	c.mu.Lock()
	known := sh.parent == "" || !sh.fresh || c.shards[sh.parent] != nil
	c.mu.Unlock()
	if known {
		return nil
	}
	at, err := c.store.Checkpoint(ctx, sh.parent)
	if err != nil {
		return err
	}
	if at.Done || !at.Trimmed(c.o.Now()) {
		return nil
	}
	// A young table's stream has lost nothing yet. What statistics that are to
	// be rebuilt have missed does not matter.
	made := store.Checkpoint{ReadAt: meta.Created}
	if fresh(at) && (meta.State != store.StateKept || !made.Trimmed(c.o.Now())) {
		return nil
	}
	return c.lost(ctx, at)
}

// lost marks the statistics as broken, since records that follow a checkpoint
// may have been dropped from the stream before they were read.
func (c *Consumer) lost(ctx context.Context, at *store.Checkpoint) error {
	if err := c.store.MarkBroken(ctx); err != nil {
		return err
	}
	c.o.Log.Error("the stream has dropped records that may not have been counted", "shard", at.ShardID, "readAt", at.ReadAt)
	ask(c.mending)
	return nil
}
