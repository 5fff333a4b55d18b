package lambda

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// answerTime is reserved at the end of an invocation for the answer: without one, Lambda delivers
// the whole batch again.
const answerTime = time.Second

var (
	errNoShard = errors.New("the event does not name the shard of its records: set a tumbling window on the event source mapping")
	errBroken  = errors.New("the statistics have missed changes, and nothing is projected until they are rebuilt: run product-comments stats rebuild")
)

// Handler projects the records of a table's stream. It is safe for concurrent
// use.
type Handler struct {
	projector *projector.Projector
	log       *slog.Logger

	mu          sync.Mutex
	prepared    string // ARN of the stream that prepare has checked
	checkpoints checkpoints
}

// New returns the handler of the stream of a projector's table.
func New(p *projector.Projector, log *slog.Logger) *Handler {
	return &Handler{projector: p, log: log}
}

// Handle projects the records of an event. If some could not be projected, the answer names the
// first of them, and Lambda delivers the event again from there.
//
// It returns an error, and projects nothing, if the event has another type or table, if it does
// not name a shard, if its records lack images, if the statistics must be rebuilt, or if the store
// does not answer.
func (h *Handler) Handle(
	ctx context.Context, event events.DynamoDBTimeWindowEvent,
) (answer events.DynamoDBTimeWindowEventResponse, err error) {
	answer.BatchItemFailures = []events.DynamoDBBatchItemFailure{}
	if answer.State = event.State; answer.State == nil {
		answer.State = map[string]string{} // an answer without a state counts as a failure
	}
	if event.ShardID == "" {
		return answer, errNoShard
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerTime))
		defer cancel()
	}
	if len(event.Records) == 0 { // the end of a window
		h.backfill(ctx)
		return answer, nil
	}
	records, err := recordsOf(event.Records)
	if err != nil {
		return answer, err
	}
	log := h.log.With("shard", event.ShardID)
	warnOfAge(ctx, log, records, time.Now())
	if err := h.prepare(ctx, event.EventSourceARN); err != nil {
		return answer, err
	}
	c, err := h.acquire(ctx, event.ShardID)
	if err != nil {
		return answer, err
	}
	done, err := h.projector.Project(ctx, c.Shard, records)
	if err != nil {
		h.forget()
		first := firstAfter(records, c.Sequence)
		log.ErrorContext(ctx, "some records were not projected", "sequence", first.Sequence, "of", len(records),
			"error", err)
		answer.BatchItemFailures = append(answer.BatchItemFailures,
			events.DynamoDBBatchItemFailure{ItemIdentifier: first.Sequence})
		return answer, nil
	}
	if err := h.saveCheckpoint(ctx, c); err != nil {
		log.WarnContext(ctx, "a checkpoint was not stored: the write is repeated later", "error", err)
	}
	h.release(c, done)
	log.DebugContext(ctx, "projected", "records", done.Records, "transactions", done.Transactions,
		"retries", done.Retries, "sequence", c.Sequence)
	return answer, nil
}

// Drain returns a handler that sends the webhooks that are due, for a schedule. It ends before the
// invocation does, so that its progress is stored.
func Drain(drain func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		deadline, ok := ctx.Deadline()
		if !ok {
			return drain(ctx)
		}
		ctx, cancel := context.WithDeadline(ctx, deadline.Add(-drainTime))
		defer cancel()
		return drain(ctx)
	}
}

// drainTime is reserved at the end of an invocation to store the progress of deliveries.
const drainTime = 5 * time.Second

// backfillTime is how long the records of a shard wait at most, once a window, while comments are
// brought into indexes: longer than until every process knows of a change of definitions.
const backfillTime = 30 * time.Second

// backfilled is an index with backfills.
type backfilled interface {
	index.Maintained
	Backfill() *index.Backfill
}

// backfill carries on the backfills. What it touches comes as records, and so as another window.
func (h *Handler) backfill(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, backfillTime)
	defer cancel()
	for waits := true; waits; {
		waits = false
		for _, x := range index.Indexes[backfilled](h.projector.Engine()) {
			err := x.Maintain(ctx)
			all, listErr := x.Backfill().All(ctx)
			if err = errors.Join(err, listErr); err != nil && ctx.Err() == nil {
				h.log.WarnContext(ctx, "an index was not completed: the work continues at the end of the next window", "error", err)
			}
			waits = waits || slices.ContainsFunc(all, func(p index.Progress) bool { return !p.Settled })
		}
		waits = waits && table.Sleep(ctx, index.BackfillPause) == nil
	}
}

// prepare checks that the stream and the statistics allow projecting. It caches success until
// forget.
func (h *Handler) prepare(ctx context.Context, stream string) error {
	h.mu.Lock()
	known := h.prepared == stream
	h.mu.Unlock()
	if known {
		return nil
	}
	// Projecting the stream of another table would break the statistics.
	of, _, _ := strings.Cut(stream, "/stream/")
	if name := h.projector.Table().Name(); of != name && !strings.HasSuffix(of, ":table/"+name) {
		return fmt.Errorf("the event is from %q, which is not a stream of the table %q", stream, name)
	}
	now, err := h.projector.Prepare(ctx, stream)
	switch {
	case err != nil:
		return err
	case now.State == settings.StateBroken:
		return errBroken
	case now.State == settings.StateKept:
		h.mu.Lock()
		h.prepared = stream
		h.mu.Unlock()
	}
	return nil
}

// forget makes the next event check the statistics again.
func (h *Handler) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prepared = ""
}

// firstAfter returns the first record after a sequence number, or the first record if sequence is
// empty.
func firstAfter(records []index.Record, sequence string) index.Record {
	i := slices.IndexFunc(records, func(r index.Record) bool { return projector.CompareSequence(r.Sequence, sequence) > 0 })
	return records[max(i, 0)]
}

// A stream keeps records for 24 hours. An event source mapping that is further behind loses the
// oldest without an error.
const (
	oldRecord = 23 * time.Hour
	keptFor   = 24 * time.Hour
)

// warnOfAge logs that the mapping is about to lose records, or has lost some, if the oldest record
// is that old. Age is no proof, because the record itself did arrive, so the statistics are not
// marked as broken.
func warnOfAge(ctx context.Context, log *slog.Logger, records []index.Record, now time.Time) {
	var oldest index.Record
	for _, r := range records {
		if !r.Created.IsZero() && (oldest.Created.IsZero() || r.Created.Before(oldest.Created)) {
			oldest = r
		}
	}
	age := now.Sub(oldest.Created)
	switch {
	case oldest.Created.IsZero() || age <= oldRecord:
	case age <= keptFor:
		log.WarnContext(ctx, "the event source mapping is far behind and will lose records, because streams keep them for 24 hours", "sequence", oldest.Sequence, "age", age.Round(time.Second))
	default:
		log.ErrorContext(ctx, "the event source mapping has probably lost records, because streams keep them for 24 hours: run product-comments stats verify", "sequence", oldest.Sequence, "age", age.Round(time.Second))
	}
}

// maxCheckpoints limits the checkpoints in memory. Shards are replaced every few hours.
const maxCheckpoints = 64

// saveEvery is the interval for storing the checkpoint of a whole shard, so that a projector that
// takes over knows how far it was read.
const saveEvery = 10 * time.Minute

// checkpoints caches the checkpoints that this instance moved last, by shard, which saves two
// reads per event. An outdated entry costs a failed transaction, which is many times more
// expensive, so a checkpoint is not cached once another writer has moved it, such as an instance
// that gets every second event.
type checkpoints struct {
	own    map[string]*opened
	shared bool
}

// opened is an open shard, and the time when its checkpoint was stored.
type opened struct {
	*projector.Shard
	saved time.Time
}

// acquire returns an open shard for exclusive use until release.
func (h *Handler) acquire(ctx context.Context, shard string) (*opened, error) {
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

// release caches a shard after a successful projection. After a failed one the checkpoint may be
// outdated, because the last transaction may have succeeded without an answer.
func (h *Handler) release(c *opened, done projector.Projected) {
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

// saveCheckpoint stores the checkpoint of the whole shard periodically. It is no error if another
// process has stored it.
func (h *Handler) saveCheckpoint(ctx context.Context, c *opened) error {
	if time.Since(c.saved) < saveEvery {
		return nil
	}
	c.saved = time.Now()
	_, err := h.projector.Save(ctx, c.Shard)
	return err
}
