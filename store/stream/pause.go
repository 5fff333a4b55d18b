package stream

import (
	"context"
	"time"

	"product-comments/store/table"
)

// longestPause bounds the pause between two tries.
const longestPause = 10 * time.Second

// pause waits between two tries, each time twice as long up to a limit.
type pause struct{ first, next time.Duration }

func newPause(first time.Duration) *pause { return &pause{first, first} }

// reset makes the next pause short again, after a try succeeded.
func (p *pause) reset() { p.next = p.first }

// wait returns early if ctx ends.
func (p *pause) wait(ctx context.Context) {
	d := p.next
	p.next = min(2*d, max(longestPause, p.first))
	_ = table.Sleep(ctx, d)
}
