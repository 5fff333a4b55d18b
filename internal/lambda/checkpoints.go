package lambda

import (
	"context"
	"time"

	"product-comments/store/projector"
)

// maxCheckpoints bounds what an instance remembers. Shards are replaced every
// few hours.
const maxCheckpoints = 64

// saveEvery is how often it is stored how far all groups of a shard are, so that
// a projector which takes over knows until when it was read.
const saveEvery = 10 * time.Minute

// checkpoints are those that this instance moved last, by shard, which spares
// two reads with every event. An outdated one costs a transaction that fails,
// many times a read: so they are no longer kept once somebody else was seen to
// move them, such as another instance that gets every second event.
type checkpoints struct {
	own    map[string]*opened
	shared bool
}

// opened is a shard, and when it was stored last.
type opened struct {
	*projector.Shard
	saved time.Time
}

// take returns a shard that is open, for nobody else to use until keep.
func (h *Handler) take(ctx context.Context, shard string) (*opened, error) {
	h.mu.Lock()
	c := h.checkpoints.own[shard]
	delete(h.checkpoints.own, shard)
	h.mu.Unlock()
	if c != nil {
		return c, nil
	}
	at, err := h.projector.Open(ctx, shard, time.Time{})
	return &opened{at, time.Now()}, err
}

// keep remembers a shard after a projection that succeeded. After one that
// failed it may be outdated: the last transaction may have taken effect although
// its answer did not arrive.
func (h *Handler) keep(c *opened, done projector.Projected) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := &h.checkpoints
	k.shared = k.shared || done.Retries > 0
	if k.shared || k.own == nil || len(k.own) >= maxCheckpoints {
		k.own = map[string]*opened{}
	}
	if !k.shared {
		k.own[c.ID] = c
	}
}

// save stores how far all groups of the shard are, now and then. That somebody
// else did so is as good.
func (h *Handler) save(ctx context.Context, c *opened) error {
	if time.Since(c.saved) < saveEvery {
		return nil
	}
	c.saved = time.Now()
	_, err := h.projector.Save(ctx, c.Shard)
	return err
}
