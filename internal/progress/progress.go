// Package progress shows how far long work is, and the rest of it: a bar on a
// terminal, a line now and then elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is the time between two lines where there is no terminal.
const lineEvery = 5 * time.Second

// Options say where progress is shown. The zero value shows none.
type Options struct {
	To       io.Writer        // what cannot be written to it is lost, and the work continues; nil is nowhere
	Terminal bool             // To is a terminal: show a bar, not lines
	Now      func() time.Time // the clock; time.Now if nil
}

// Stderr shows progress on standard error.
func Stderr() Options {
	return Options{To: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd()))}
}

// Work is what is shown.
type Work struct {
	Name  string
	Unit  string // of what is counted, such as items
	Total int64  // how many there are, at least about; 0 if unknown
	Bytes bool   // what is counted is bytes
}

// Bar shows one piece of work. Any goroutine may use it.
type Bar struct {
	o   Options
	bar *progressbar.ProgressBar // nil without a terminal

	mu           sync.Mutex
	work         Work
	step         string
	n            int64
	began, shown time.Time
}

// Begin begins to show work. End must be called.
func (o Options) Begin(w Work) *Bar {
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Bar{o: o, work: w}
	b.began = o.Now()
	b.shown = b.began
	if o.To == nil || !o.Terminal {
		return b
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(o.To), progressbar.OptionSetDescription(w.Name),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // without a goroutine of its own
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
	}
	total := int64(-1)
	if w.Total > 0 {
		total = w.Total
	}
	if w.Bytes && w.Total > 0 {
		options = append(options, progressbar.OptionShowBytes(true))
	} else {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString(w.Unit), progressbar.OptionShowTotalBytes(w.Total > 0))
	}
	b.bar = progressbar.NewOptions64(total, options...)
	return b
}

// Set shows how much is done, unless that was less than before or something was
// shown just now.
func (b *Bar) Set(n int64) { b.Tell(n, "") }

// Tell is Set, with other words for what is done than its number.
func (b *Bar) Tell(n int64, done string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n <= b.n && done == "" {
		return
	}
	b.n = max(n, b.n)
	switch now := b.o.Now(); {
	case b.o.To == nil:
	case b.bar != nil && b.work.Total > 0:
		_ = b.bar.Set64(min(b.n, b.work.Total))
	case b.bar != nil:
		_ = b.bar.Set64(b.n)
	case now.Sub(b.shown) >= lineEvery:
		if done == "" {
			done = Grouped(b.n) + " " + b.work.Unit
		}
		b.printf("%s: %s%s", b.work.Name, done, b.left(now))
		b.shown = now
	}
}

// left spells what is still to do, as far as that is known.
func (b *Bar) left(now time.Time) string {
	total := b.work.Total
	if total < b.n || b.n == 0 { // it is unknown, or it was an estimate
		return ""
	}
	of := ""
	if !b.work.Bytes {
		of = " of about " + Grouped(total)
	}
	rest := time.Duration(float64(now.Sub(b.began)) / float64(b.n) * float64(total-b.n))
	return fmt.Sprintf("%s (%d %%, %s left)", of, 100*b.n/total, rest.Round(time.Second))
}

// Step is Set for work of several steps, each of which counts again.
func (b *Bar) Step(name string, n int64) {
	b.mu.Lock()
	if name != b.step {
		b.step, b.n, b.began = name, 0, b.o.Now()
		if b.bar != nil {
			b.bar.Reset()
			b.bar.Describe(b.work.Name + ", " + name)
		} else {
			b.printf("%s: %s", b.work.Name, name)
		}
	}
	b.mu.Unlock()
	b.Set(n)
}

// End leaves the bar where it is, or full if the work is complete, and ends its line.
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
	b.printf("")
}

func (b *Bar) printf(format string, args ...any) {
	if b.o.To != nil {
		_, _ = fmt.Fprintf(b.o.To, format+"\n", args...)
	}
}

// Counted spells a number with what it counts: 1 line, 3,490 lines.
func Counted(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + one + "s"
}

// Grouped spells 3490 as 3,490.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
