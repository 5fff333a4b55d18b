package transfer

import (
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/pack"
)

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
func TestMemoryIsBounded(t *testing.T) {
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
		{"a line of 200 MiB", "", "", 200, blocks, 1},
		{"200 lines that are too long", "", "", 200, func(int) string { return block + "x\n" }, 200},
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
				Learn: func(context.Context, []pack.Words) error { return nil },
			})
			measure()
			testkit.Need(t, err == nil && sum.Lines == test.lines, "%v %v", sum, err)
			testkit.Check(t, peak <= before.HeapAlloc+most, "%d MB of heap, %d MB before", peak>>20, before.HeapAlloc>>20)
		})
	}
}
