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

// dearPages logs the plans of pages that were slow or dear.
type dearPages struct {
	slow  time.Duration // 0 is never
	dear  float64       // read units; 0 is never
	lines *lines
}

// lines are warnings of one kind. A trouble makes many of them, of which so many tell
// enough.
type lines struct {
	limit   *rate.Limiter
	skipped atomic.Int64 // since the last line
}

const (
	lineEvery = time.Second
	lineBurst = 10
)

func newLines() *lines { return &lines{limit: rate.NewLimiter(rate.Every(lineEvery), lineBurst)} }

// log logs a warning, unless there were many just now.
func (l *lines) log(ctx context.Context, log *slog.Logger, message string, attributes ...slog.Attr) {
	if !l.limit.Allow() {
		l.skipped.Add(1)
		return
	}
	if n := l.skipped.Swap(0); n > 0 {
		attributes = append(attributes, slog.Int64("not_logged", n)) // like this since the last line
	}
	log.LogAttrs(ctx, slog.LevelWarn, message, attributes...)
}

func newDearPages(o Options) *dearPages {
	return &dearPages{slow: o.Slow, dear: o.Dear, lines: newLines()}
}

// look logs a page's plan beside what it cost, in one line, if it was slow or dear.
// A plan names partitions: product, language and rating, and nothing of comments.
func (d *dearPages) look(ctx context.Context, log *slog.Logger, r store.PageRead) {
	slow := d.slow > 0 && r.Took >= d.slow
	if !slow && (d.dear <= 0 || r.Page.Cost.Units < d.dear) {
		return
	}
	why := "a page was dear"
	if slow {
		why = "a page was slow"
	}
	attributes := []slog.Attr{
		slog.Duration("took", r.Took), slog.Float64("read_units", r.Page.Cost.Units),
		slog.String("plan", r.Page.Plan.Tree(r.Page.Actual())),
	}
	if r.Err != nil {
		attributes = append(attributes, slog.String("failed", string(errs.CodeOf(r.Err))))
	}
	d.lines.log(ctx, log, why, attributes...)
}
