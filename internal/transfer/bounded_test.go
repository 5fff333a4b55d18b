package transfer

import (
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"product-comments/store/pack"
)

// generated is an endless file in which the n-th piece comes from a function.
type generated struct {
	piece func(n int) string // "" ends the file
	n     int
	rest  string
}

func (g *generated) Read(b []byte) (int, error) {
	for g.rest == "" {
		if g.rest = g.piece(g.n); g.rest == "" {
			return 0, io.EOF
		}
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
	tests := []struct {
		name  string
		piece func(n int) string
		lines int64
	}{
		{"30,000 lines", func(n int) string {
			if n == 30000 {
				return ""
			}
			return lineOf(n, text)
		}, 30000},
		{"40 MB in lines of 19 KB", func(n int) string {
			if n == 2200 {
				return ""
			}
			return lineOf(n, long)
		}, 2200},
		{"a line of 200 MiB", func(n int) string {
			if n == 200 {
				return ""
			}
			return block
		}, 1},
		{"200 lines that are too long", func(n int) string {
			if n == 200 {
				return ""
			}
			return block + "x\n"
		}, 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			peak := uint64(0)
			measure := func() { // what is held, not what waits for the collector
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
			sum, err := Import(t.Context(), st, []string{stdin}, Options{Stdin: &generated{piece: test.piece}, Rejects: os.DevNull, Learn: func(context.Context, []pack.Words) error { return nil }})
			measure()
			if err != nil || sum.Lines != test.lines {
				t.Fatal(sum, err)
			}
			if peak > before.HeapAlloc+most {
				t.Errorf("%d MB of heap, %d MB before", peak>>20, before.HeapAlloc>>20)
			}
			t.Logf("%d MB of heap, %d MB before", peak>>20, before.HeapAlloc>>20)
		})
	}
}
