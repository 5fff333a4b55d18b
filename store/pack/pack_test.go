package pack

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

// samples returns comments that share phrases, as a shop's comments do.
func samples(n int) []Words {
	openings := []string{"The strap is soft", "The zip runs smoothly", "It came a day early", "The colour is nicer than in the picture", "It holds a laptop and lunch", "After a year it looks new"}
	endings := []string{"I can recommend it.", "I sent it back.", "My daughter wants one, too.", "The price is fair for what it is."}
	out := make([]Words, n)
	for i := range out {
		out[i] = Words{
			Author: fmt.Sprintf("Ada %c.", 'A'+i%26),
			Title:  openings[i%len(openings)],
			Text:   fmt.Sprintf("%s, %s, and %s after %d days. %s", openings[i*7%len(openings)], strings.ToLower(openings[i*5%len(openings)]), strings.ToLower(openings[(i*3+1)%len(openings)]), i, endings[i%len(endings)]),
		}
	}
	return out
}

func codec(t testing.TB, version int) *Codec {
	t.Helper()
	dictionary, _, err := Learn(version, samples(400))
	testkit.Need(t, err == nil, "%v", err)
	c := testkit.Value(New(dictionary))(t)
	return c
}

func TestPackAndUnpack(t *testing.T) {
	c := codec(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		w := Words{rapid.String().Draw(t, "author"), rapid.String().Draw(t, "title"), rapid.String().Draw(t, "text")}
		frame := c.Pack(w)
		got, err := c.Unpack(string(frame))
		testkit.Need(t, err == nil && got == w, "%q became %q, %v", w, got, err)
		version, err := VersionOf(string(frame))
		testkit.Need(t, err == nil && version == 3, "the frame says version %d, %v", version, err)
	})
}

func TestPackedIsLessThanHalf(t *testing.T) {
	c := codec(t, 1)
	plain, packed := 0, 0
	for _, w := range samples(500)[400:] {
		plain += len(w.Author) + len(w.Title) + len(w.Text)
		packed += len(c.Pack(w))
	}
	testkit.Check(t, packed*2 <= plain, "%d bytes became %d", plain, packed)
}

func TestFramesOfAnotherDictionary(t *testing.T) {
	one, two := codec(t, 1), codec(t, 2)
	frame := one.Pack(samples(1)[0])
	got, err := two.Unpack(string(frame))
	testkit.Check(t, err != nil, "another dictionary unpacked %q", got)
	for _, damaged := range []string{"", string(frame[:3]), string(frame[:len(frame)-1]), "no frame at all, but long enough"} {
		got, err := one.Unpack(damaged)
		testkit.Check(t, err != nil, "%x was unpacked to %q", damaged, got)
	}
	_, err = VersionOf("no frame at all, but long enough")
	testkit.Check(t, err != nil, "something that is no frame has a version")
}

// Whatever a shop's comments are, they are learned from or refused.
func TestOddSamples(t *testing.T) {
	same, short, random := make([]Words, 300), make([]Words, 300), make([]Words, 300)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range same {
		same[i] = Words{Text: "Good."}
		short[i] = Words{Text: string(rune('a' + i%26))}
		noise := make([]byte, 400)
		for j := range noise {
			noise[j] = byte(r.IntN(256))
		}
		random[i] = Words{Text: string(noise)}
	}
	for name, list := range map[string][]Words{"none": nil, "one": samples(1), "few": samples(12), "the same": same, "a letter": short, "noise": random, "long": {{Text: strings.Repeat("long ", 1<<14)}, {Text: strings.Repeat("long ", 1<<14)}}} {
		dictionary, share, err := Learn(1, list)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		c, err := New(dictionary)
		if err != nil || share <= 0 {
			t.Errorf("%s: a share of %g, %v", name, share, err)
			continue
		}
		for _, w := range list {
			got, err := c.Unpack(string(c.Pack(w)))
			testkit.Need(t, err == nil && got == w, "%s: %.80v became %.80v, %v", name, w, got, err)
		}
	}
}

// What a dictionary is worth is reported by comments that it was not made from.
func TestShareOfOthers(t *testing.T) {
	list := samples(400)
	dictionary, share, err := Learn(1, list)
	testkit.Need(t, err == nil, "%v", err)
	c := testkit.Value(New(dictionary))(t)
	if other := c.Share(samples(600)[400:]); share <= 0 || share >= 0.5 || other > share*1.3 || c.Share(nil) != 1 {
		t.Errorf("a share of %g, of later comments %g, of none %g", share, other, c.Share(nil))
	}
}

func TestDamagedDictionary(t *testing.T) {
	testkit.Check(t, testkit.Err(New([]byte("not a dictionary"))) != nil, "it was accepted")
}

func BenchmarkUnpack(b *testing.B) {
	c := codec(b, 1)
	frame := string(c.Pack(samples(500)[450]))
	b.ReportAllocs()
	for b.Loop() {
		testkit.Value(c.Unpack(frame))(b)
	}
}

func BenchmarkPack(b *testing.B) {
	c, w := codec(b, 1), samples(500)[450]
	b.ReportAllocs()
	for b.Loop() {
		c.Pack(w)
	}
}

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
