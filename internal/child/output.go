package child

import (
	"log/slog"
	"strings"
	"sync"
)

// lastBytes of a child's output are quoted in errors.
const lastBytes = 1024

// output takes what a child prints: to the log at debug level, and the end of it
// is kept for errors.
type output struct {
	log *slog.Logger

	mu   sync.Mutex
	last []byte
}

// Write takes the next piece of output. It never fails: a child must not be
// stopped by what we do with its output.
func (o *output) Write(piece []byte) (int, error) {
	o.log.Debug(strings.TrimSpace(string(piece)))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = append(o.last, piece...)
	o.last = o.last[max(0, len(o.last)-lastBytes):]
	return len(piece), nil
}

// quote returns the last lines as the end of an error message, empty when
// nothing was printed.
func (o *output) quote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := strings.FieldsFunc(string(o.last), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return "; its last output: " + strings.Join(lines, " | ")
}
