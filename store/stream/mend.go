package stream

import (
	"context"
	"errors"

	"product-comments/store/settings"
)

// saw stores the state of the statistics, and asks for a rebuild if the state is damaged. The
// process of a rebuild that is under way may have died.
func (c *Consumer) saw(state settings.State) {
	c.change(func() { c.state = state })
	if damaged(state) {
		ask(c.mending)
	}
}

func damaged(state settings.State) bool {
	return state == settings.StateBroken || state == settings.StateRebuilding
}

// mend checks the statistics whenever mending asks for it, and rebuilds them if they are damaged,
// until ctx ends.
func (c *Consumer) mend(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.mending:
		}
		for pause := newPause(c.o.Poll); ctx.Err() == nil; {
			mended, err := c.mended(ctx)
			if mended {
				break
			}
			if errors.Is(err, ErrOtherRebuild) {
				c.o.Log.Debug("another process is rebuilding the statistics", "error", err)
			} else if err != nil {
				c.failed(ctx, "rebuild the statistics", err)
			}
			pause.wait(ctx)
		}
	}
}

// mended reports whether the statistics are intact. If not, it rebuilds them, and the caller must
// call it again.
func (c *Consumer) mended(ctx context.Context) (bool, error) {
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
