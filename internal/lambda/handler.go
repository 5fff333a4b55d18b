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

	"product-comments/store/index"
	"product-comments/store/projector"
	"product-comments/store/settings"
)

// answerTime is what of an invocation's time is kept back for the answer:
// without one, Lambda delivers the whole batch again.
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
	prepared    string // stream whose statistics are known to be kept
	checkpoints checkpoints
}

// New returns the handler of the stream of a projector's table.
func New(p *projector.Projector, log *slog.Logger) *Handler {
	return &Handler{projector: p, log: log}
}

// Handle projects the records of an event. If some did not take effect, the
// answer names the first of them, and Lambda delivers the event again from
// there on.
//
// It returns an error, and nothing is projected, if the event is of another
// kind or table, if it does not name a shard, if its records lack images, if
// the statistics must be rebuilt, or if the store does not answer.
func (h *Handler) Handle(ctx context.Context, event events.DynamoDBTimeWindowEvent) (answer events.DynamoDBTimeWindowEventResponse, err error) {
	answer.BatchItemFailures = []events.DynamoDBBatchItemFailure{}
	if answer.State = event.State; answer.State == nil {
		answer.State = map[string]string{} // an answer without a state counts as a failure
	}
	if event.ShardID == "" {
		return answer, errNoShard
	}
	if len(event.Records) == 0 { // a window ended
		return answer, nil
	}
	records, err := recordsOf(event.Records)
	if err != nil {
		return answer, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerTime))
		defer cancel()
	}
	log := h.log.With("shard", event.ShardID)
	warnOfAge(ctx, log, records, time.Now())
	if err := h.prepare(ctx, streamOf(event)); err != nil {
		return answer, err
	}
	c, err := h.take(ctx, event.ShardID)
	if err != nil {
		return answer, err
	}
	done, err := h.projector.Project(ctx, c.Shard, records)
	if err != nil {
		h.forget()
		first := firstAfter(records, c.Sequence)
		log.ErrorContext(ctx, "some records were not projected", "sequence", first.Sequence, "of", len(records), "error", err)
		answer.BatchItemFailures = append(answer.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: first.Sequence})
		return answer, nil
	}
	if err := h.save(ctx, c); err != nil {
		log.WarnContext(ctx, "a checkpoint was not stored: the write is repeated later", "error", err)
	}
	h.keep(c, done)
	log.DebugContext(ctx, "projected", "records", done.Records, "transactions", done.Transactions, "retries", done.Retries, "sequence", c.Sequence)
	return answer, nil
}

// prepare settles whether the stream tells everything that the statistics need
// to know. It asks only once, unless they are not kept or something failed.
func (h *Handler) prepare(ctx context.Context, stream string) error {
	h.mu.Lock()
	known := h.prepared == stream
	h.mu.Unlock()
	if known {
		return nil
	}
	// To project the stream of another table would break the statistics.
	table, _, _ := strings.Cut(stream, "/stream/")
	if name := h.projector.Table().Name(); table != name && !strings.HasSuffix(table, ":table/"+name) {
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

// forget makes the next event ask again what the statistics are worth.
func (h *Handler) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prepared = ""
}

// streamOf returns the ARN of the stream that an event is of.
func streamOf(event events.DynamoDBTimeWindowEvent) string {
	if event.EventSourceARN != "" {
		return event.EventSourceARN
	}
	return event.Records[0].EventSourceArn
}

// firstAfter returns the first record after a sequence number, or the first of
// all if there is none.
func firstAfter(records []index.Record, sequence string) index.Record {
	i := slices.IndexFunc(records, func(r index.Record) bool { return projector.CompareSequence(r.Sequence, sequence) > 0 })
	return records[max(i, 0)]
}

// A stream keeps records for 24 hours. An event source mapping that is behind
// by more loses the oldest, and tells no one.
const (
	oldRecord = 23 * time.Hour
	keptFor   = 24 * time.Hour
)

// warnOfAge logs if the oldest record is so old that the mapping is about to
// lose others, or has lost some. That is no proof, so the statistics are not
// marked as broken: the record itself did arrive.
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

// maxCheckpoints bounds what an instance remembers. Shards are replaced every
// few hours.
const maxCheckpoints = 64

// saveEvery is how often it is stored how far all buckets of a shard are, so that
// a projector which takes over knows until when it was read.
const saveEvery = 10 * time.Minute

// checkpoints are those that this instance moved last, by shard, which spares
// two reads with every event. An outdated one costs a transaction that fails,
// many times a read: so they are no longer kept once another writer was seen to
// move them, such as another instance that gets every second event.
type checkpoints struct {
	own    map[string]*opened
	shared bool
}

// opened is a shard, and when it was stored last.
type opened struct {
	*projector.Shard
	saved time.Time
}

// take returns a shard that is open, for no one else to use until keep.
func (h *Handler) take(ctx context.Context, shard string) (*opened, error) {
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

// keep remembers a shard after a projection that succeeded. After one that
// failed it may be outdated: the last transaction may have taken effect although
// its answer did not arrive.
func (h *Handler) keep(c *opened, done projector.Projected) {
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

// save stores how far all buckets of the shard are, now and then. That a process
// else did so is as good.
func (h *Handler) save(ctx context.Context, c *opened) error {
	if time.Since(c.saved) < saveEvery {
		return nil
	}
	c.saved = time.Now()
	_, err := h.projector.Save(ctx, c.Shard)
	return err
}
