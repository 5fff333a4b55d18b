package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/testing/testkit"
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

// generated is a long file of so many pieces, which come from a function.
type generated struct {
	pieces int
	piece  func(n int) string
	n      int
	rest   string
}

func (g *generated) Read(b []byte) (int, error) {
	if g.rest == "" && g.n == g.pieces {
		return 0, io.EOF
	}
	if g.rest == "" {
		g.rest = g.piece(g.n)
		g.n++
	}
	n := copy(b, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// An import holds a few windows, however long the file and its lines are.
func TestLongImportsTakeLittleMemory(t *testing.T) {
	testkit.Long(t, "it imports lines of many megabytes")
	const most = 24 << 20 // bytes of heap above what is there before
	text := strings.Repeat("Twenty characters. ", 25)
	long := strings.Repeat("Twenty characters. ", 1000)
	block := strings.Repeat("x", 1<<20)
	blocks := func(int) string { return block }
	for _, test := range []struct {
		name   string
		format Format
		start  string
		pieces int
		piece  func(n int) string
		lines  int64
	}{
		{"30,000 lines", "", "", 30000, func(n int) string { return lineOf(n, text) }, 30000},
		{"40 MB in lines of 19 KB", "", "", 2200, func(n int) string { return lineOf(n, long) }, 2200},
		{"a line of 60 MiB", "", "", 60, blocks, 1},
		{"60 lines that are too long", "", "", 60, func(int) string { return block + "x\n" }, 60},
		{"a row without an end", FormatCSV, "productId,rating,language,createdAt,text\n42,5,en,2026-01-02,\"", 60, blocks, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			peak := uint64(0)
			var measuring sync.Mutex // lines are read while others are written
			measure := func() {      // what is held, not what waits for the collector
				measuring.Lock()
				defer measuring.Unlock()
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
			st := newMemory()
			st.before = func(context.Context, int) error {
				measure()
				clear(st.comments) // the store is not what is measured
				return nil
			}
			content := &generated{pieces: test.pieces, piece: func(n int) string {
				if n%(test.pieces/10) == 0 { // also while nothing is written
					measure()
				}
				return test.piece(n)
			}}
			sum, err := Import(t.Context(), st, []string{stdin}, Options{
				Stdin: io.MultiReader(strings.NewReader(test.start), content), Format: test.format, Rejects: os.DevNull,
			})
			measure()
			testkit.Need(t, err == nil && sum.Lines == test.lines, "%v %v", sum, err)
			testkit.Check(t, peak <= before.HeapAlloc+most, "%d MB of heap, %d MB before", peak>>20, before.HeapAlloc>>20)
		})
	}
}
