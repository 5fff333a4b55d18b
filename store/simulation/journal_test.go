package simulation

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// journal contains the events of a history for a person to read.
type journal struct {
	mu     sync.Mutex
	began  time.Time
	events []event
}

type event struct {
	at                  time.Duration
	process, verb, what string
	args                []any
}

// add notes an event. It is formatted only if the history fails.
func (j *journal) add(process, verb, what string, args ...any) {
	at := time.Since(j.began)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, event{at, process, verb, what, args})
}

func (e event) String() string {
	return fmt.Sprintf("%14s  %-12s %-10s %s", e.at, e.process, e.verb, fmt.Sprintf(e.what, e.args...))
}

// last returns the last events, and earlier ones that speak of a word or of what
// the statistics are worth.
func (j *journal) last(n int, about string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var b strings.Builder
	for i, e := range j.events {
		line := e.String()
		if len(j.events)-i <= n || about != "" && strings.Contains(line, about) || strings.Contains(line, "the statistics are \"") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// spoken puts what a process logs into the journal.
type spoken struct{ p *process }

func (s spoken) Enabled(_ context.Context, level slog.Level) bool { return level > slog.LevelDebug }
func (s spoken) WithAttrs([]slog.Attr) slog.Handler               { return s }
func (s spoken) WithGroup(string) slog.Handler                    { return s }

// Handle is part of slog.Handler.
func (s spoken) Handle(_ context.Context, r slog.Record) error {
	var with []any
	r.Attrs(func(a slog.Attr) bool { with = append(with, a); return true })
	s.p.h.journal.add(s.p.name, "says", "%s %v", r.Message, with)
	s.p.h.marks.add("said: " + r.Message)
	return nil
}

// marks count the rare situations that happened. Without the situations the checks prove nothing.
type marks struct {
	mu sync.Mutex
	n  map[string]int
}

func (m *marks) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n == nil {
		m.n = map[string]int{}
	}
	m.n[name]++
}

// missing returns the names that were never marked.
func (m *marks) missing(names []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, name := range names {
		if m.n[name] == 0 {
			out = append(out, name)
		}
	}
	return out
}

func (m *marks) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.n)) {
		fmt.Fprintf(&b, "%9d  %s\n", m.n[name], name)
	}
	return b.String()
}
