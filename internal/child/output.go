package child

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Bounds on what is kept of a child's output.
const (
	lineBytes = 1024 // of one line; the rest of it is dropped
	lastLines = 10   // quoted in errors
)

// output takes what a child prints, line by line: to the log at debug level,
// and the last lines are kept for errors.
type output struct {
	log *slog.Logger

	mu   sync.Mutex
	line []byte // not yet ended
	last []string
}

// Write takes the next piece of output. It never fails: a child must not be
// stopped by what we do with its output.
func (o *output) Write(piece []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := piece
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			o.grow(rest)
			return len(piece), nil
		}
		o.grow(rest[:end])
		o.endLine()
		rest = rest[end+1:]
	}
}

func (o *output) grow(piece []byte) {
	o.line = append(o.line, piece[:min(len(piece), lineBytes-len(o.line))]...)
}

func (o *output) endLine() {
	line := strings.TrimSpace(string(o.line))
	o.line = o.line[:0]
	if line == "" {
		return
	}
	o.log.Debug(line)
	if len(o.last) == lastLines {
		o.last = append(o.last[:0], o.last[1:]...)
	}
	o.last = append(o.last, line)
}

// quote returns the last lines as the end of an error message, empty when
// nothing was printed.
func (o *output) quote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := o.last
	if unfinished := strings.TrimSpace(string(o.line)); unfinished != "" {
		lines = append(lines[:len(lines):len(lines)], unfinished)
	}
	if len(lines) == 0 {
		return ""
	}
	return "; its last output: " + strings.Join(lines, " | ")
}
