package stream

import (
	"context"
	"errors"
	"slices"
	"sync"

	"product-comments/store/comment/stats"
	"product-comments/store/derive/projector"
)

// lane projects the changes of some buckets, from all shards, in consecutive transactions. The next
// transaction combines the changes that arrive during one.
type lane struct {
	*Consumer
	ready chan struct{} // something was added

	mu     sync.Mutex
	queues map[int][]entry // by bucket
	next   int             // bucket of the next step
}

// entry is a waiting change with the answer that contained it.
type entry struct {
	projector.Job
	answer *answer
}

// lane returns the lane of a bucket. The first call starts it; it ends with ctx, the context of
// Run.
func (c *Consumer) lane(ctx context.Context, bucket int) *lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lanes[bucket%projector.Lanes]
	if l == nil {
		l = &lane{Consumer: c, ready: make(chan struct{}, 1), queues: map[int][]entry{}}
		c.lanes[bucket%projector.Lanes] = l
		c.tasks.Go(func() { l.run(ctx) })
	}
	return l
}

func (l *lane) add(bucket int, entries []entry) {
	l.mu.Lock()
	l.queues[bucket] = append(l.queues[bucket], entries...)
	l.mu.Unlock()
	signal(l.ready)
}

// mostWaiting bounds the changes that a step is given: of thousands it would take few.
const mostWaiting = 10 * projector.MaxItems

// waiting returns the first of the waiting changes by bucket, beginning with the bucket next. It drops
// the changes of closed sessions.
func (l *lane) waiting() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	var buckets []int
	for bucket, queue := range l.queues {
		queue = slices.DeleteFunc(queue, func(e entry) bool { return e.answer.session.closed.Load() })
		if l.queues[bucket] = queue; len(queue) > 0 {
			buckets = append(buckets, bucket)
		}
	}
	slices.Sort(buckets)
	turn, _ := slices.BinarySearch(buckets, l.next)
	var out []entry
	for _, bucket := range append(buckets[turn:], buckets[:turn]...) {
		queue := l.queues[bucket]
		out = append(out, queue[:min(len(queue), mostWaiting-len(out))]...)
	}
	return out
}

// passed removes the first n of the waiting changes. The next step begins with the bucket of the
// change after them.
func (l *lane) passed(entries []entry, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries[:n] {
		queue := l.queues[e.Bucket]
		queue[0] = entry{} // releases it: the array lives on
		if l.queues[e.Bucket] = queue[1:]; len(queue) == 1 {
			delete(l.queues, e.Bucket)
		}
	}
	if n < len(entries) {
		l.next = entries[n].Bucket
	}
}

func (l *lane) run(ctx context.Context) {
	pause := l.newPause()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.ready:
		}
		for entries := l.waiting(); len(entries) > 0 && ctx.Err() == nil; entries = l.waiting() {
			if err := l.step(ctx, entries); err != nil {
				l.failed(ctx, "project", err)
				_ = pause.Wait(ctx)
			} else {
				pause.Reset()
			}
		}
	}
}

// step projects the first of the waiting changes.
func (l *lane) step(ctx context.Context, entries []entry) error {
	jobs := make([]projector.Job, len(entries))
	for i, e := range entries {
		jobs[i] = e.Job
	}
	n, did, err := l.projector.Step(ctx, jobs)
	l.passed(entries, n)
	l.change(func() { l.totals.Add(did) })
	for _, e := range entries[:n] {
		e.answer.tookEffect()
	}
	if errors.Is(err, stats.ErrNegative) {
		signal(l.repairing)
	}
	return err
}
