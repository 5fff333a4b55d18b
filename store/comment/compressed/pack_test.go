package compressed

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
)

var some = Words{Author: "Ada L.", Title: "The strap is soft", Text: "It came a day early, and the zip runs smoothly. It holds a laptop and lunch, and the colour is nicer than in the picture. I would buy it again."}

func TestPackAndUnpack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Words{rapid.String().Draw(t, "author"), rapid.String().Draw(t, "title"), rapid.String().Draw(t, "text")}
		got, err := Unpack(string(Pack(w)))
		testkit.Need(t, err == nil && got == w, "%q became %q, %v", w, got, err)
	})
}

// Tables have texts that need each dictionary as it was.
func TestDictionariesStay(t *testing.T) {
	sums := []string{"caecd380d44cbfec6da525d4ccbef08b5a75b0bffd1d2cc73013ab2c76f847f0"}
	testkit.Need(t, len(sums) == len(dictionaries), "%d dictionaries", len(dictionaries))
	for i, d := range dictionaries {
		testkit.Equal(t, fmt.Sprintf("%x", sha256.Sum256(d)), sums[i], "dictionary %d", i+1)
		inspected := testkit.Value(zstd.InspectDictionary(d))(t)
		testkit.Equal(t, inspected.ID(), ID(i+1), "the id of dictionary %d", i+1)
		frame := With(d)(some)
		got, err := Unpack(string(frame))
		testkit.Check(t, err == nil && got == some, "of dictionary %d: %q, %v", i+1, got, err)
	}
}

func TestPackedIsMuchLess(t *testing.T) {
	packed := len(Pack(some))
	testkit.Check(t, packed*10 <= some.Size()*6, "%d bytes became %d", some.Size(), packed)
}

func TestDamaged(t *testing.T) {
	frame := string(Pack(some))
	for _, damaged := range []string{"", frame[:3], frame[:len(frame)-1], "no frame at all, but long enough"} {
		got, err := Unpack(damaged)
		testkit.Check(t, err != nil, "%x was unpacked to %q", damaged, got)
	}
	later := strings.Replace(frame, "\x01\x80", "\x63\x80", 1) // the dictionary's id, little-endian
	_, err := Unpack(later)
	testkit.Fails(t, err, "a dictionary that this version of the program lacks")
}

// Texts as long as people may write them are packed and unpacked.
func TestLongWords(t *testing.T) {
	w := Words{Author: "Ada", Text: strings.Repeat("It came a day early. ", maxWords/21-2)}
	got, err := Unpack(string(Pack(w)))
	testkit.Check(t, err == nil && got == w, "%d bytes became %d, %v", w.Size(), got.Size(), err)
}

// What packs keeps its tables, and no window for texts that comments never have.
func TestAPackerIsSmall(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		for range 3 { // what pools keep survives two
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	e := newEncoder(dictionary1)
	e.EncodeAll(some.Bytes(), nil)
	took := heap() - before
	testkit.Check(t, took <= 18<<20, "it keeps %d MB", took>>20)
	runtime.KeepAlive(e)
}

func BenchmarkUnpack(b *testing.B) {
	frame := string(Pack(some))
	b.ReportAllocs()
	for b.Loop() {
		testkit.Value(Unpack(frame))(b)
	}
}

func BenchmarkPack(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Pack(some)
	}
}
