package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"product-comments/store/projector"
	"product-comments/store/stream"
)

// Consume runs a consumer of the engine's stream until stop is called or the
// test ends. What the options leave out is chosen so that tests are short.
func Consume(t testing.TB, p *projector.Projector, o stream.Options) (c *stream.Consumer, stop func()) {
	t.Helper()
	if o.Poll == 0 {
		o.Poll = 10 * time.Millisecond
	}
	if o.Discover == 0 {
		o.Discover = 100 * time.Millisecond
	}
	c = stream.New(Streams(t), p, o)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return c, stop
}
