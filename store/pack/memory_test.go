package pack

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// A codec that packs keeps its tables, and no window for texts that comments never have.
func TestACodecIsSmall(t *testing.T) {
	dictionary, _, err := Learn(1, samples(400))
	testkit.Need(t, err == nil, "%v", err)
	heap := func() int64 {
		var m runtime.MemStats
		for range 3 { // what pools keep survives two
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	c := testkit.Value(New(dictionary))(t)
	c.Pack(samples(1)[0])
	took := heap() - before
	testkit.Check(t, took <= 18<<20, "it keeps %d MB", took>>20)
	runtime.KeepAlive(c)
}

// Texts as long as people may write them are packed and unpacked.
func TestLongWords(t *testing.T) {
	w := Words{Author: "Ada", Text: strings.Repeat("It came a day early. ", maxWords/21-2)}
	c := codec(t, 1)
	got, err := c.Unpack(string(c.Pack(w)))
	testkit.Check(t, err == nil && got == w, "%d bytes became %d, %v", w.Size(), got.Size(), err)
}

// However long texts are, a dictionary is learned from some of all of them, in bounded
// memory.
func TestLearningIsBounded(t *testing.T) {
	var long []Words
	phrases := samples(400)
	for i := range 4000 {
		var text strings.Builder
		for j := range 120 {
			fmt.Fprintf(&text, "%d of %d: ", j*j%97, i*j)
			text.WriteString(phrases[(i*j)%400].Title)
		}
		long = append(long, Words{Text: text.String()})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, share, err := Learn(1, long)
	runtime.ReadMemStats(&after)
	testkit.Check(t, err == nil && share <= 0.9, "a share of %f, %v", share, err)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 200 {
		t.Errorf("it allocated %d MB for %d MB of texts", took, 1000*long[0].Size()>>20)
	}
}
