package stream

import (
	"context"
	"errors"

	"product-comments/store/settings"
)

// setState stores the state of the statistics, and asks for a rebuild if the state is damaged. The
// process of a rebuild that is under way may have died.
func (c *Consumer) setState(state settings.State) {
	c.change(func() { c.state = state })
	if damaged(state) {
		signal(c.repairing)
	}
}

func damaged(state settings.State) bool {
	return state == settings.StateBroken || state == settings.StateRebuilding
}

// repair checks the statistics whenever repairing asks for it, and rebuilds them if they are damaged,
// until ctx ends.
func (c *Consumer) repair(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.repairing:
		}
		for pause := c.newPause(); ctx.Err() == nil; {
			repaired, err := c.repaired(ctx)
			if repaired {
				break
			}
			if errors.Is(err, ErrOtherRebuild) {
				c.o.Log.Debug("another process is rebuilding the statistics", "error", err)
			} else if err != nil {
				c.failed(ctx, "rebuild the statistics", err)
			}
			_ = pause.Wait(ctx)
		}
	}
}

// repaired reports whether the statistics are intact. If not, it rebuilds them, and the caller must
// call it again.
func (c *Consumer) repaired(ctx context.Context) (bool, error) {
	now, err := c.settings.Read(ctx)
	if err != nil {
		return false, err
	}
	c.change(func() { c.state = now.State })
	if !damaged(now.State) {
		return true, nil
	}
	return false, c.Rebuild(ctx, RebuildOptions{Rate: c.o.RebuildRate})
}
