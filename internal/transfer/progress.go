package transfer

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far an import is: a bar on a terminal, a line now and
// then elsewhere. What it cannot write is lost; the import goes on.
type progress struct {
	to       io.Writer // nil: nothing is shown
	terminal bool
	every    time.Duration // between lines
	now      func() time.Time

	name  string
	size  int64 // bytes, -1 if nobody knows
	bar   *progressbar.ProgressBar
	shown time.Time
}

func newProgress(o Options) *progress {
	return &progress{to: o.Progress, terminal: o.Terminal, every: 5 * time.Second, now: time.Now}
}

func (p *progress) printf(format string, args ...any) {
	if p.to != nil {
		_, _ = fmt.Fprintf(p.to, format+"\n", args...)
	}
}

func shownName(name string) string {
	if name == stdin {
		return "standard input"
	}
	return name
}

// resumed tells that an earlier import did the first lines, or all of them.
func (p *progress) resumed(name string, c checkpoint) {
	if c.Done {
		p.printf("%s: all of its %s lines were done by an import that stopped later", shownName(name), grouped(c.Lines))
		return
	}
	p.printf("%s: going on after line %s, where an import stopped at %s", shownName(name), grouped(c.Lines), c.Saved.Format(time.RFC3339))
}

func (p *progress) begin(name string, size int64) {
	p.name, p.size, p.shown, p.bar = shownName(name), size, p.now(), nil
	if p.to == nil || !p.terminal || size == 0 {
		return
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p.to),
		progressbar.OptionSetDescription(p.name),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0), // without a goroutine of its own
		progressbar.OptionSetRenderBlankState(true),
	}
	if size > 0 {
		options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionShowCount())
	} else {
		options = append(options, progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("lines"), progressbar.OptionShowTotalBytes(false))
	}
	p.bar = progressbar.NewOptions64(size, options...)
}

// at tells what is written by now: bytes of the file, as compressed, and counts.
func (p *progress) at(position int64, c Counts) {
	switch now := p.now(); {
	case p.to == nil:
	case p.bar != nil && p.size > 0:
		_ = p.bar.Set64(min(position, p.size))
	case p.bar != nil:
		_ = p.bar.Set64(c.Lines)
	case now.Sub(p.shown) < p.every:
	default:
		share := ""
		if p.size > 0 {
			share = fmt.Sprintf(" (%d %%)", 100*min(position, p.size)/p.size)
		}
		p.printf("%s: %s lines%s, %s refused", p.name, grouped(c.Lines), share, grouped(c.Refused))
		p.shown = now
	}
}

// end leaves the bar where it is, ends its line, and tells what was left out and
// where to find what was refused.
func (p *progress) end(complete bool, s FileSummary, sheet bool) {
	if p.bar != nil {
		if complete {
			_ = p.bar.Finish()
		}
		_ = p.bar.Exit()
		p.printf("")
	}
	unknown(s.Unknown).tell(sheet, func(format string, args ...any) { p.printf(p.name+": "+format, args...) })
	if s.Refused > 0 {
		p.printf("%s: %s refused, see %s", p.name, grouped(s.Refused), s.Rejects)
	}
}
