package photos

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// BenchmarkRead reads an upload of a phone's twelve megapixels. The reach is 1 s of processor.
func BenchmarkRead(b *testing.B) {
	for name, data := range map[string][]byte{"jpeg": withEXIF(asJPEG(b, scene(4032, 3024)), 6), "png": asPNG(b, drawing(4032, 3024))} {
		r := NewReader(DefaultMemory)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(float64(len(data))/1e6, "MB/upload")
			for b.Loop() {
				testkit.Must(b, testkit.Err(r.Read(b.Context(), data)))
			}
		})
	}
}

// Four uploads of twelve megapixels at once take at most 150 MB, garbage included, and a second of
// processor each.
func TestMemoryOfFourAtOnce(t *testing.T) {
	testkit.Long(t, "reads 12 pictures of 12 megapixels")
	data := withEXIF(asJPEG(t, scene(4032, 3024)), 6)
	r := NewReader(DefaultMemory)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for every := time.NewTicker(2 * time.Millisecond); ; <-every.C {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapAlloc))
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	var busy atomic.Int64
	for range 3 {
		testkit.AtOnce(4, func(int) {
			p, err := r.Read(t.Context(), data)
			testkit.Check(t, err == nil, "%v", err)
			busy.Add(int64(p.Busy))
		})
	}
	close(stop)
	<-stopped
	peak := (most.Load() - before.HeapAlloc) >> 20
	t.Logf("peak %d MB, %s a picture of %d KB", peak, time.Duration(busy.Load()/12), len(data)>>10)
	testkit.Check(t, peak <= 150, "four at once took %d MB", peak)
}
