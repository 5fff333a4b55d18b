// Package progress shows the progress of long work: a bar on a terminal, otherwise a line every
// few seconds.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is the time between two lines without a terminal.
const lineEvery = 5 * time.Second

// Options configure where progress is shown. The zero value shows none.
type Options struct {
	To       io.Writer // the output, whose errors are ignored; nil for none
	Terminal bool      // To is a terminal: show a bar, not lines
}

// Stderr shows progress on standard error.
func Stderr() Options {
	return Options{To: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd()))}
}

// Work describes the work.
type Work struct {
	Name  string
	Unit  string // of the count, such as items
	Total int64  // at least approximately; 0 if unknown
	Bytes bool   // the count is in bytes
}

// Bar shows the progress of one piece of work. It is safe for concurrent use.
type Bar struct {
	o   Options
	bar *progressbar.ProgressBar // nil without a terminal

	mu           sync.Mutex
	work         Work
	step         string
	n            int64
	began, shown time.Time
}

// Begin starts showing work. The caller must call End.
func (o Options) Begin(w Work) *Bar {
	now := time.Now()
	b := &Bar{o: o, work: w, began: now, shown: now}
	if o.To == nil || !o.Terminal {
		return b
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(o.To), progressbar.OptionSetDescription(w.Name),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // without a goroutine
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
	}
	if w.Bytes && w.Total > 0 {
		options = append(options, progressbar.OptionShowBytes(true))
	} else {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString(w.Unit),
			progressbar.OptionShowTotalBytes(w.Total > 0))
	}
	b.bar = progressbar.NewOptions64(cmp.Or(w.Total, -1), options...) // -1 is unknown
	return b
}

// Set shows a new count, unless it decreases or the last output was a moment ago.
func (b *Bar) Set(n int64) { b.SetText(n, "") }

// SetText is Set with a text instead of the count.
func (b *Bar) SetText(n int64, done string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n <= b.n && done == "" {
		return
	}
	b.n = max(n, b.n)
	switch now := time.Now(); {
	case b.o.To == nil:
	case b.bar != nil && b.work.Total > 0:
		_ = b.bar.Set64(min(b.n, b.work.Total))
	case b.bar != nil:
		_ = b.bar.Set64(b.n)
	case now.Sub(b.shown) >= lineEvery:
		if done == "" {
			done = humanize.Comma(b.n) + " " + b.work.Unit
		}
		b.o.Printf("%s: %s%s", b.work.Name, done, b.remaining(now))
		b.shown = now
	}
}

// remaining returns the estimated remaining work and time, as far as they are known.
func (b *Bar) remaining(now time.Time) string {
	total := b.work.Total
	if total < b.n || b.n == 0 { // the total is unknown, or was an estimate
		return ""
	}
	of := ""
	if !b.work.Bytes {
		of = " of about " + humanize.Comma(total)
	}
	rest := time.Duration(float64(now.Sub(b.began)) / float64(b.n) * float64(total-b.n))
	return fmt.Sprintf("%s (%d %%, %s left)", of, 100*b.n/total, rest.Round(time.Second))
}

// Step is Set for work of several steps, each with a separate count.
func (b *Bar) Step(name string, n int64) {
	b.mu.Lock()
	if name != b.step {
		b.step, b.n, b.began = name, 0, time.Now()
		if b.bar != nil {
			b.bar.Reset()
			b.bar.Describe(b.work.Name + ", " + name)
		} else {
			b.o.Printf("%s: %s", b.work.Name, name)
		}
	}
	b.mu.Unlock()
	b.Set(n)
}

// Say shows a sentence on a line of its own.
func (b *Bar) Say(sentence string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		_ = b.bar.Clear()
	}
	b.o.Printf("%s", sentence)
}

// End ends the bar's line, and shows the bar as full if the work is complete.
func (b *Bar) End(complete bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		return
	}
	if complete {
		_ = b.bar.Finish()
	}
	_ = b.bar.Exit()
	b.o.Printf("")
}

// Printf shows a line.
func (o Options) Printf(format string, args ...any) {
	if o.To != nil {
		_, _ = fmt.Fprintf(o.To, format+"\n", args...)
	}
}

// Counted formats a number with a noun: 1 line, 3,490 lines.
func Counted(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(n) + " " + one + "s"
}
