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
	errNoShard = errors.New("the event does not say which shard its records are of: set a tumbling window on the event source mapping")
	errBroken  = errors.New("the statistics missed some changes, and nothing is projected until they are rebuilt: product-comments stats rebuild")
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
		log.ErrorContext(ctx, "not all records were projected", "sequence", first.Sequence, "of", len(records), "error", err)
		answer.BatchItemFailures = append(answer.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: first.Sequence})
		return answer, nil
	}
	if err := h.save(ctx, c); err != nil {
		log.WarnContext(ctx, "a checkpoint was not stored, which is tried again later", "error", err)
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
		return fmt.Errorf("the event is of %q, which is no stream of the table %q", stream, name)
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

// forget makes the next event ask anew what the statistics are worth.
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
