package lambda

import (
	"context"
	"log/slog"
	"time"

	"product-comments/store/index"
)

// A stream keeps records for 24 hours. An event source mapping that is behind
// by more loses the oldest, and tells nobody.
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
		log.WarnContext(ctx, "the event source mapping is far behind and about to lose records, which the stream keeps for 24 hours", "sequence", oldest.Sequence, "age", age.Round(time.Second))
	default:
		log.ErrorContext(ctx, "the event source mapping has probably lost records, which the stream keeps for 24 hours: check with product-comments stats verify", "sequence", oldest.Sequence, "age", age.Round(time.Second))
	}
}
