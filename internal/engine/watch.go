package engine

import (
	"context"
	"errors"
	"time"

	"product-comments/internal/child"
)

// An engine may stop to answer without ending: it is stopped by a signal, waits
// for itself, or for a disk. One that has not answered so many looks in a row is
// killed and started anew; acknowledged writes are on the disk.
const (
	missesIdle = 5  // and has not worked meanwhile
	missesBusy = 15 // though it works: it has much to do, or does one thing for ever
)

var errHangs = errors.New("it runs, but does not answer: it was killed")

// watch looks after a running engine until it ends, or ctx does. It returns why
// the engine ended; when it returns an error the engine has ended.
func (e *Engine) watch(ctx context.Context, process *child.Process) error {
	tick := time.NewTicker(e.look)
	defer tick.Stop()
	misses, worked := 0, int64(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-process.Done():
			e.awaitEnd()
			return process.Err()
		case <-tick.C:
		}
		now := e.current.Load()
		looking, cancel := context.WithTimeout(ctx, e.look)
		err := now.ping(looking, e.dir)
		cancel()
		if err == nil || ctx.Err() != nil {
			misses = 0
			continue
		}
		ticks, _, known := child.Worked(now.PID)
		if misses++; misses == 1 {
			worked = ticks
		}
		idle := known && ticks == worked
		if misses < missesIdle || !idle && misses < missesBusy {
			e.log.Warn("the engine does not answer", "looks", misses, "idle", idle, "error", err)
			continue
		}
		process.Kill()
		e.awaitEnd()
		return errors.Join(errHangs, err)
	}
}
