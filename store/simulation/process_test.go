package simulation

import (
	"context"
	"log/slog"
	"product-comments/store/index/pages/tree"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"product-comments/internal/lambda"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
	rooms "product-comments/store/table"
)

// table is the name of the only table.
const table = "comments"

// process is a simulated process. It loses its memory when it is killed. Only this file creates
// processes.
type process struct {
	h      *history
	name   string
	client *double.Client
	store  *store.Store
	ctx    context.Context // ends with the process
	end    context.CancelFunc
	tasks  sync.WaitGroup
	offset time.Duration // of its clock
	whole  *call         // what it does by itself

	mu      sync.Mutex
	dead    time.Time            // zero while it lives
	faulted time.Time            // until when faults befell its calls; far ahead while they do
	wrote   map[string]asOf      // by product, of its last write that took effect: when it did, and when its call ended
	reads   map[string][]*read   // under way, see begunBy
	looked  map[string]time.Time // when it last began to read the request of an order
}

// start makes a process. Its clock is wrong by the offset.
func (h *history) start(kind string, offset time.Duration) *process {
	h.mu.Lock()
	h.started[kind]++
	name := kind + "-" + itoa(h.started[kind])
	h.mu.Unlock()
	return h.startAs(kind, name, offset)
}

func (h *history) startAs(kind, name string, offset time.Duration) *process {
	p := &process{h: h, name: name, offset: offset, wrote: map[string]asOf{}, reads: map[string][]*read{}, looked: map[string]time.Time{}}
	p.ctx, p.end = context.WithCancel(context.Background())
	p.client = h.db.Client(p.name)
	p.client.Set(h.config.Calls)
	o := store.Options{PageSizes: tree.Sizes{Listed: 60, Node: 120, Below: 3, Root: 120}, MetaAge: h.config.MetaAge, PageAge: h.config.PageAge, PageBytes: 1 << 20, PlaceAge: -1, Now: p.now, Random: rooms.NewRandom(h.dice(p.name).Uint64())}
	o.Moderation = moderation.Options{Mode: h.config.Mode, Reports: enoughReports, ReportPace: reportPace}
	o.Keys, o.ImportEvents = webhookKeys, h.config.Loud
	if h.config.Photos {
		o.DeletePhoto = h.bucket.delete
	}
	p.store = store.New(observed{p.client, p}, table, o)
	p.whole = &call{verb: kind, process: p, began: time.Now(), explain: h.model.settles}
	h.mu.Lock()
	h.living = append(h.living, p)
	h.mu.Unlock()
	h.journal.add(p.name, "start", "with a clock that is off by %s", offset)
	return p
}

func (p *process) log() *slog.Logger { return slog.New(spoken{p}) }

func (p *process) now() time.Time { return time.Now().Add(p.offset) }

// consumer makes the process a projector, until it is killed.
func (p *process) consumer() *stream.Consumer {
	return stream.New(p.client, p.store.Projector(), stream.Options{Poll: p.h.poll(), Maintain: p.h.config.Maintain, Discover: max(10*time.Second, 4*p.h.poll()), Log: p.log()})
}

// project makes the process a projector, until it is killed.
func (p *process) project() *process {
	c := p.consumer()
	p.sends()
	p.asks()
	p.tasks.Go(func() { _ = c.Run(context.WithValue(p.ctx, callKey{}, p.whole)) })
	return p
}

// function makes the process an instance of the Lambda function.
func (p *process) function() func(events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
	handler := lambda.New(p.store.Projector(), p.log())
	return func(event events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
		ctx, cancel := context.WithTimeout(context.WithValue(p.ctx, callKey{}, p.whole), time.Minute)
		defer cancel()
		return handler.Handle(ctx, event)
	}
}

// rebuild is the operator's command rebuild, with its own projector.
func (p *process) rebuild(ctx context.Context) error {
	c := stream.New(p.client, p.store.Projector(), stream.Options{Log: p.log()})
	running, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() { _ = c.Run(running) })
	defer done.Wait()
	defer stop()
	return c.Rebuild(ctx, stream.RebuildOptions{})
}

// verify is the operator's command verify.
func (p *process) verify(ctx context.Context, o verify.Options) (verify.Verified, error) {
	return verify.Run(ctx, p.store.Projector(), o)
}

// kill ends the process at any point of its work, and returns when all its goroutines have ended.
func (p *process) kill() {
	p.mu.Lock()
	was := p.dead
	if was.IsZero() {
		p.dead = time.Now()
	}
	p.mu.Unlock()
	if !was.IsZero() {
		return
	}
	p.h.journal.add(p.name, "killed", "")
	p.client.Kill()
	p.end()
	p.tasks.Wait()
}

// died returns the time at which the process was killed, zero if it runs.
func (p *process) died() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// befall sets the faults of the process's calls from now on.
func (p *process) befall(f faults.Rates) {
	p.mu.Lock()
	calm := f == p.h.config.Calls
	switch {
	case !calm:
		p.faulted = p.h.began.Add(1000 * 24 * time.Hour)
	case p.faulted.After(time.Now()):
		p.faulted = time.Now()
	}
	p.mu.Unlock()
	p.client.Set(f)
}

// faulty reports whether the process had faults at some time since an instant.
func (p *process) faulty(since time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.faulted.IsZero() && !p.faulted.Before(since)
}
