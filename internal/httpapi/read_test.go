package httpapi

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"product-comments/internal/testkit"
)

// A body takes the memory that is counted for it, and not that of copies on the way.
func TestABodyTakesWhatIsCounted(t *testing.T) {
	const size = 1 << 20
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", bytes.NewReader(make([]byte, size)))
	var before, after runtime.MemStats
	var memory reservations
	defer memory.release()
	runtime.ReadMemStats(&before)
	sent, err := (&server{}).readWhole(httptest.NewRecorder(), r, "a client", &memory)
	runtime.ReadMemStats(&after)
	took := after.TotalAlloc - before.TotalAlloc
	testkit.Check(t, err == nil && sent == size && took <= size*3/2, "a body of %d bytes took %d, it says %d, %v", size, took, sent, err)
}
