package transfer

import (
	"fmt"
	"io"
	"time"

	"product-comments/internal/progress"
)

// showing shows how far an import is. What it cannot write is lost; the import
// goes on.
type showing struct {
	on   progress.Options
	name string
	size int64 // bytes, -1 if nobody knows
	bar  *progress.Bar
}

func newShowing(o Options) *showing {
	return &showing{on: progress.Options{To: o.Progress, Terminal: o.Terminal}}
}

func (s *showing) printf(format string, args ...any) {
	if s.on.To != nil {
		_, _ = fmt.Fprintf(s.on.To, format+"\n", args...)
	}
}

func shownName(name string) string {
	if name == stdin {
		return "standard input"
	}
	return name
}

// resumed tells that an earlier import did the first lines, or all of them.
func (s *showing) resumed(name string, c checkpoint) {
	if c.Done {
		s.printf("%s: all of its %s were done by an import that stopped later", shownName(name), ofLines(c.Lines))
		return
	}
	s.printf("%s: going on after line %s, where an import stopped at %s", shownName(name), progress.Grouped(c.Lines), c.Saved.Format(time.RFC3339))
}

func (s *showing) begin(name string, size int64) {
	s.name, s.size = shownName(name), size
	on := s.on
	if size == 0 { // there is nothing to do
		on.To = io.Discard
	}
	s.bar = on.Begin(progress.Work{Name: s.name, Unit: "lines", Total: max(0, size), Bytes: size > 0})
}

// at tells what is written by now: bytes of the file, as compressed, and counts.
func (s *showing) at(position int64, c Counts) {
	done := fmt.Sprintf("%s, %s refused", ofLines(c.Lines), progress.Grouped(c.Refused))
	if s.size > 0 {
		s.bar.Tell(min(position, s.size), done)
	} else {
		s.bar.Tell(c.Lines, done)
	}
}

// end leaves the bar where it is, ends its line, and tells what was left out and
// where to find what was refused.
func (s *showing) end(complete bool, sum FileSummary, sheet bool) {
	s.bar.End(complete)
	say := func(format string, args ...any) { s.printf(s.name+": "+format, args...) }
	unknown(sum.Unknown).tell(sheet, say)
	sum.fitting.tell(say)
	if sum.Refused > 0 {
		s.printf("%s: %s refused, see %s", s.name, progress.Grouped(sum.Refused), sum.Rejects)
	}
}
