package stream

import (
	"context"
	"time"

	"product-comments/store/derive/projector"
)

// parentUntil returns a time before which nothing can have been written to the shard: the ReadAt of
// its parent, zero if it is not known.
func (r *reader) parentUntil(ctx context.Context) (time.Time, error) {
	if r.sh.parent == "" {
		return time.Time{}, nil
	}
	parent, err := r.projector.Look(ctx, r.sh.parent)
	if err != nil {
		return time.Time{}, err
	}
	return parent.ReadAt, nil
}

// parentIsRead reports whether a shard's parent was read to its end, or the stream does not have
// the parent. If a missing parent was not read to its end, it checks for lost records.
func (c *Consumer) parentIsRead(ctx context.Context, sh *shard) (bool, error) {
	c.mu.Lock()
	parent := c.shards[sh.parent]
	begun := sh.parent == "" || !sh.fresh // the process that began it has checked the parent
	read := parent != nil && parent.phase.finished()
	c.mu.Unlock()
	if begun || parent != nil {
		return begun || read, nil
	}
	at, err := c.projector.Look(ctx, sh.parent)
	if err != nil || at.Done {
		return at != nil && at.Done, err
	}
	if time.Since(sh.seen) < c.o.Unlisted {
		return false, nil
	}
	return true, c.checkHorizon(ctx, at)
}

// checkHorizon marks the statistics as broken if the stream may have dropped records of a shard
// before they were projected.
func (c *Consumer) checkHorizon(ctx context.Context, at *projector.Shard) error {
	now, err := c.settings.Recent(ctx)
	if err != nil {
		return err
	}
	if !c.projector.MayHaveLost(at, now) {
		return nil
	}
	if err := c.projector.MarkBroken(ctx); err != nil {
		return err
	}
	c.o.Log.Error("the stream has dropped records that may not have been projected", "shard", at.ID, "readAt",
		at.ReadAt)
	at.ReadAt = c.now() // the rebuild counts all changes until now
	signal(c.repairing)
	return nil
}
