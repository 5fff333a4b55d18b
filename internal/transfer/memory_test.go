package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/ndjson"
	"product-comments/internal/testkit"
	"product-comments/store"
)

// memory is a store in memory that behaves as store.Store does. Tests that do
// not need a real engine use it.
type memory struct {
	name     string
	comments map[string]string // id → line
	windows  int
	// before, if set, is called with the number of the window, from 0; the
	// window fails with its error.
	before func(ctx context.Context, window int) error
}

func newMemory() *memory { return &memory{name: "comments", comments: map[string]string{}} }

func (m *memory) Table() string { return m.name }

func (m *memory) Import(ctx context.Context, comments []store.Comment) ([]store.Outcome, error) {
	window := m.windows
	m.windows++
	if m.before != nil {
		if err := m.before(ctx, window); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(comments) > windowLines {
		return nil, fmt.Errorf("a window of %d comments", len(comments))
	}
	outcomes := make([]store.Outcome, len(comments))
	seen := map[string]bool{}
	for i := range comments {
		c := &comments[i]
		if seen[c.ID] {
			return nil, fmt.Errorf("the id %s is twice in a window", c.ID)
		}
		seen[c.ID] = true
		line := string(ndjson.Append(nil, c))
		switch old, exists := m.comments[c.ID]; {
		case !exists:
			outcomes[i] = store.Written
		case old == line:
			outcomes[i] = store.Unchanged
		default:
			outcomes[i] = store.Replaced
		}
		m.comments[c.ID] = line
	}
	return outcomes, nil
}

// stopAt makes one window fail.
func (m *memory) stopAt(n int) {
	m.before = func(_ context.Context, window int) error {
		if window == n {
			return errors.New("stop")
		}
		return nil
	}
}

// all returns the lines of all comments, sorted.
func (m *memory) all() string {
	return strings.Join(slices.Sorted(maps.Values(m.comments)), "")
}

// lineOf is a valid line with its line break.
func lineOf(id int, text string) string {
	return fmt.Sprintf(`{"productId":"42","commentId":"c-%05d","rating":%d,"language":"en","createdAt":"2026-06-30T12:00:00Z","text":"%s"}`+"\n", id, id%5+1, text)
}

// numbered are lines of which each has its number in the text.
func numbered(from, to int) string {
	var b strings.Builder
	for i := range to - from {
		b.WriteString(lineOf(from+i, fmt.Sprintf("text %d", from+i)))
	}
	return b.String()
}

// place makes a temporary directory current, so that default rejects files
// end up there, and returns Options that keep checkpoints in it.
func place(t *testing.T) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	return Options{DataDir: "data", Endpoint: "memory"}
}

func write(t testing.TB, name, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}

func read(t testing.TB, name string) string {
	t.Helper()
	b := testkit.Value(os.ReadFile(name))(t)
	return string(b)
}

// checkpoints counts the checkpoint files that are left.
func checkpoints(t testing.TB, o Options) int {
	t.Helper()
	left := testkit.Value(filepath.Glob(filepath.Join(o.DataDir, importsDir, "*")))(t)
	return len(left)
}

// wantRejects fails unless a rejects file holds these, with reasons that contain the given
// ones.
func wantRejects(t testing.TB, name string, want ...reject) {
	t.Helper()
	var got []reject
	for line := range strings.Lines(read(t, name)) {
		var r reject
		err := json.Unmarshal([]byte(line), &r)
		testkit.Need(t, err == nil, "%v: %.200s", err, line)
		got = append(got, r)
	}
	testkit.Need(t, len(got) == len(want), "%s: %d rejects: %.1000v", name, len(got), got)
	for i, w := range want {
		if g := got[i]; strings.Contains(g.Reason, w.Reason) {
			w.Reason = g.Reason
		}
		testkit.Equal(t, got[i], w, "%s", name)
	}
}
