package stream

import (
	"cmp"
	"context"
	"encoding/hex"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// callTimeout bounds one call of the Streams client with all its retries.
const callTimeout = 5 * time.Second

// Consumer projects the records of a table's stream.
type Consumer struct {
	api         API
	projector   *projector.Projector
	table       *table.Table
	settings    *settings.Store
	o           Options
	probePrefix string // prefix of the marks of its own probes

	looking   chan struct{}       // asks for a look for new shards
	repairing chan struct{}       // asks whether the statistics must be rebuilt
	memory    *semaphore.Weighted // bytes of records that were read and not yet projected
	tasks     sync.WaitGroup      // goroutines that Run has started
	claims    table.Sightings[claimed]

	mu        sync.Mutex
	arn       string // of the stream
	state     settings.State
	shards    map[string]*shard // by id; the listed shards, and the shards being read
	lanes     [projector.Lanes]*lane
	begun     int           // number of looks for shards that were begun
	looked    int           // number of the last look that was completed
	probes    int           // number of probes that Wait wrote or tried to write
	changed   chan struct{} // closed at a change that Wait waits for
	totals    projector.Projected
	lastError string
}

// New returns a consumer of a table's stream. Run starts it.
func New(api API, p *projector.Projector, o Options) *Consumer {
	id := make([]byte, 16)
	_, _ = p.Table().Random().Read(id) // never fails
	o = o.withDefaults()
	return &Consumer{
		api: api, projector: p, table: p.Table(), settings: p.Settings(), o: o,
		probePrefix: hex.EncodeToString(id) + "/",
		looking:     make(chan struct{}, 1), repairing: make(chan struct{}, 1),
		memory: semaphore.NewWeighted(o.Memory), shards: map[string]*shard{}, changed: make(chan struct{}),
	}
}

func (c *Consumer) now() time.Time { return c.table.Now() }

// Run consumes the stream until ctx ends, and returns nil when all its goroutines have ended. It
// must be called once. It logs failures, shows them in Status, and tries again after a pause that
// grows to ten seconds. If the statistics are broken, it rebuilds them.
func (c *Consumer) Run(ctx context.Context) error {
	ctx = table.Patiently(ctx)
	c.tasks.Go(func() { c.repair(ctx) })
	for _, x := range index.Indexes[index.Maintained](c.projector.Engine()) {
		c.tasks.Go(func() { c.maintain(ctx, x) })
	}
	c.discover(ctx)
	c.tasks.Wait()
	return nil
}

// maintain calls Maintain of an index regularly until ctx ends.
func (c *Consumer) maintain(ctx context.Context, x index.Maintained) {
	pause := min(c.o.Maintain, cmp.Or(x.Pause(), c.o.Maintain))
	for table.Sleep(ctx, pause) == nil {
		if err := x.Maintain(ctx); err != nil {
			c.failed(ctx, "run scheduled maintenance", err)
		}
	}
}

// failed logs an error of an action that will be tried again, and keeps it for Status. Errors after
// the end of ctx are ignored.
func (c *Consumer) failed(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	c.o.Log.Warn("the projector failed and retries", "at", what, "error", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastError = c.now().UTC().Format(time.RFC3339) + " " + what + ": " + err.Error()
}

// signal wakes the goroutine that listens to the channel. Two calls before it listens wake it once.
func signal(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// wake wakes every Wait after a change. The caller holds the lock.
func (c *Consumer) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// longestPause bounds the pause between two tries.
const longestPause = 10 * time.Second

func (c *Consumer) newPause() *table.Pause { return c.table.PauseOf(c.o.Poll, longestPause) }
