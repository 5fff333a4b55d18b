package stream

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"product-comments/store"
)

// callTimeout bounds one call of the Streams client with all its retries.
const callTimeout = 5 * time.Second

// Consumer projects the records of a table's stream.
type Consumer struct {
	api   API
	store *store.Store
	o     Options
	marks string // what the marks of its own probes begin with

	looking chan struct{}  // asks for a look for new shards
	mending chan struct{}  // asks whether the statistics must be rebuilt
	tasks   sync.WaitGroup // everything that Run has started

	mu        sync.Mutex
	arn       string // of the stream
	state     store.State
	shards    map[string]*shard // by id; those listed, and those being read
	begun     int               // looks for shards that were begun
	looked    int               // the last of them that was completed
	probes    int               // probes that Wait wrote, or tried to
	changed   chan struct{}     // closed when something changes that Wait waits for
	totals    store.Projected
	lastError string
}

// New returns a consumer of the store's table. Run starts it.
func New(api API, s *store.Store, o Options) *Consumer {
	return &Consumer{
		api: api, store: s, o: o.withDefaults(), marks: rand.Text() + "/",
		looking: make(chan struct{}, 1), mending: make(chan struct{}, 1),
		shards: map[string]*shard{}, changed: make(chan struct{}),
	}
}

// Run consumes the stream until ctx ends, and returns nil when everything that
// it started has ended. It must be called once. Failures are logged and shown
// by Status, and what failed is tried again after a pause that grows to ten
// seconds. If the statistics turn out to be broken, it rebuilds them.
func (c *Consumer) Run(ctx context.Context) error {
	c.tasks.Go(func() { c.mend(ctx) })
	c.discover(ctx)
	c.tasks.Wait()
	return nil
}

// failed notes that something did not work and will be tried again. That calls
// fail because their time is over is no failure.
func (c *Consumer) failed(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	c.o.Log.Warn("the projector failed and tries again", "at", what, "error", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastError = c.o.Now().UTC().Format(time.RFC3339) + " " + what + ": " + err.Error()
}

// ask wakes the goroutine that listens to the channel. To ask twice before it
// listens is to ask once.
func ask(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// wake tells every Wait that something changed. The caller holds the lock.
func (c *Consumer) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}
