package telemetry

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"product-comments/store"
	"product-comments/store/errs"
)

// lines are warnings of one kind. A trouble makes many of them, of which so many tell
// enough.
type lines struct {
	log     *slog.Logger
	limit   *rate.Limiter
	skipped atomic.Int64 // since the last line
}

const (
	lineEvery = time.Second
	lineBurst = 10
)

func newLines(log *slog.Logger) *lines {
	return &lines{log: log, limit: rate.NewLimiter(rate.Every(lineEvery), lineBurst)}
}

// warn logs a warning, unless there were many just now.
func (l *lines) warn(ctx context.Context, message string, attributes ...slog.Attr) {
	if !l.limit.Allow() {
		l.skipped.Add(1)
		return
	}
	if n := l.skipped.Swap(0); n > 0 {
		attributes = append(attributes, slog.Int64("not_logged", n)) // like this since the last line
	}
	l.log.LogAttrs(ctx, slog.LevelWarn, message, attributes...)
}

// look logs a page's plan and what it cost, in one line, if it was slow or dear.
// A plan names partitions: product, language and rating, and nothing of comments.
func (t *Telemetry) look(ctx context.Context, r store.PageRead) {
	why := "a page was slow"
	if o := t.options; o.Slow <= 0 || r.Took < o.Slow {
		if o.Dear <= 0 || r.Page.Cost.Units < o.Dear {
			return
		}
		why = "a page was dear"
	}
	attributes := []slog.Attr{
		slog.Duration("took", r.Took), slog.Float64("read_units", r.Page.Cost.Units),
		slog.String("plan", r.Page.Plan.Tree(r.Page.Actual())),
	}
	if r.Err != nil {
		attributes = append(attributes, slog.String("failed", string(errs.CodeOf(r.Err))))
	}
	t.pageLines.warn(ctx, why, attributes...)
}
