package gate

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// target returns the garbage collector's, in percent.
func target() uint64 {
	now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(now)
	return now[0].Value.Uint64()
}

// The more is alive, the less garbage may come together for each byte of it.
func TestGarbageDoesNotMultiplyWhatIsAlive(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	Memory{Total: 8 << 30}.Apply(600)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	await := func(what string, holds func(uint64) bool) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); !holds(target()); runtime.Gosched() {
			runtime.GC()
			if time.Now().After(deadline) {
				t.Fatalf("%s: the target is %d %%", what, target())
			}
		}
	}
	await("little is alive", func(p uint64) bool { return p > 400 && p < math.MaxInt32 })
	alive := make([]byte, 200<<20)
	await("200 MB are alive", func(p uint64) bool { return p == 100 })
	runtime.KeepAlive(alive)
	await("little is alive again", func(p uint64) bool { return p > 400 })
}
