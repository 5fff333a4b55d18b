package pack

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"product-comments/internal/testkit"
)

// To train another dictionary: add an empty file and a line to dictionaries, then
//
//	go test ./store/pack -run TestDictionary -reviews skytrax.ndjson.gz -rewrite
var (
	reviewsFile = flag.String("reviews", "", "file of real comments, in the interchange format and gzip")
	rewrite     = flag.Bool("rewrite", false, "write the newest dictionary")
)

// review is a comment of the interchange format.
type review struct {
	ProductID, Language, Author, Title, Text string
	CreatedAt                                time.Time
}

func (r review) words() Words { return Words{r.Author, r.Title, r.Text} }

func readReviews(t *testing.T, from io.Reader) (all []review) {
	t.Helper()
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var r review
		testkit.Must(t, json.Unmarshal(lines.Bytes(), &r))
		if r.Text != "" {
			all = append(all, r)
		}
	}
	return all
}

// corpora returns the real reviews, and the comments of the demo. It skips the test without a file.
func corpora(t *testing.T) (real, demo []review) {
	if *reviewsFile == "" {
		t.Skip("it needs -reviews, a file of real comments")
	}
	file := testkit.Value(os.Open(*reviewsFile))(t)
	defer file.Close()
	real = readReviews(t, testkit.Value(gzip.NewReader(file))(t))
	compressed := testkit.Value(os.Open("../../internal/demo/comments.ndjson.zst"))(t)
	defer compressed.Close()
	return real, readReviews(t, testkit.Value(zstd.NewReader(compressed))(t))
}

const (
	gram    = 6         // bytes of a phrase whose occurrences are counted
	common  = 3         // reviews that must have a phrase, so that it is no one's own
	segment = 64        // bytes of a piece of a review
	pieces  = 160 << 10 // bytes of all of them
)

// phrases returns the most frequent pieces of reviews, the most frequent ones last, where
// references to them are shortest. It divides the reviews into parts, and takes the piece of each
// that has the most frequent grams which no piece before has.
func phrases(real []review) []byte {
	counts := map[string]int{}
	var texts []string
	size := 0
	for _, r := range real {
		text := r.Title + r.Text
		size += len(text)
		texts = append(texts, text)
		seen := map[string]bool{}
		for i := 0; i+gram <= len(text); i++ {
			seen[text[i:i+gram]] = true
		}
		for g := range seen {
			counts[g]++
		}
	}
	taken := map[string]bool{}
	var out [][]byte
	for total, before := 0, -1; total < pieces && total != before; {
		before = total
		for part := range slices.Chunk(texts, max(1, len(texts)*segment/pieces)) {
			best, score := "", 0
			for _, text := range part {
				sums := make([]int, 1, len(text)) // of the grams before
				begin := 0                        // of the common grams up to here
				for i := 0; i+gram <= len(text); i++ {
					g := text[i : i+gram]
					value := counts[g]
					if value < common {
						begin = i + 1
					}
					if taken[g] {
						value = 0
					}
					sums = append(sums, sums[i]+value)
					if from := max(begin, i+gram-segment); from <= i && sums[i+1]-sums[from] > score {
						best, score = text[from:i+gram], sums[i+1]-sums[from]
					}
				}
			}
			for i := 0; i+gram <= len(best); i++ {
				taken[best[i:i+gram]] = true
			}
			out, total = append(out, []byte(best)), total+len(best)
		}
	}
	slices.Reverse(out)
	all := slices.Concat(out...)
	return all[max(0, len(all)-pieces):]
}

var sentences = regexp.MustCompile(`[^.!?。！？]*[.!?。！？]*\s*`)

// sentencesOf returns every title and sentence once.
func sentencesOf(comments []review) (all []byte) {
	seen := map[string]bool{}
	for _, c := range comments {
		for _, s := range append(sentences.FindAllString(c.Text, -1), c.Title) {
			if !seen[s] {
				seen[s], all = true, append(all, s...)
			}
		}
	}
	return all
}

// train makes the dictionary of a version. The same reviews give the same dictionary.
func train(t *testing.T, version int, real, demo []review) []byte {
	t.Helper()
	o := zstd.BuildDictOptions{ID: uint32(firstID + version), Offsets: [3]int{1, 4, 8},
		Level: zstd.SpeedBetterCompression}
	if o.History = sentencesOf(demo); len(real) > 0 {
		o.History = append(o.History, phrases(real)...)
	}
	for i, r := range slices.Concat(real, demo) {
		if i < len(real) || i%12 == 0 { // the demo repeats itself
			o.Contents = append(o.Contents, r.words().join(nil))
		}
	}
	return testkit.Value(zstd.BuildDict(o))(t)
}

// The newest dictionary is made from the reviews and the demo as they are.
func TestDictionary(t *testing.T) {
	real, demo := corpora(t)
	version := len(dictionaries)
	made := train(t, version, real, demo)
	if *rewrite {
		testkit.Must(t, os.WriteFile(fmt.Sprintf("dictionary%d", version), made, 0o644))
		return
	}
	testkit.Check(t, string(made) == string(dictionaries[version-1]), "dictionary %d is another one", version)
}

// rest is how many bytes a comment takes in an index besides author, title and text.
const rest = 156

// measured are averages of a comment and a page.
type measured struct{ bytes, units float64 }

// measure returns the bytes of a comment's words, and the read units of a page of 20, of all pages
// of each product from any comment on. Without a dictionary the words are plain.
func measure(comments []review, dictionary []byte) (m measured) {
	products := map[string][]review{}
	for _, c := range comments {
		products[c.ProductID] = append(products[c.ProductID], c)
	}
	pages := 0.0
	for _, list := range products {
		slices.SortStableFunc(list, func(a, b review) int { return b.CreatedAt.Compare(a.CreatedAt) })
		sums := []int{0}
		var encoder *zstd.Encoder
		if dictionary != nil {
			encoder = newEncoder(dictionary)
		}
		for _, c := range list {
			size := c.words().Size()
			if encoder != nil {
				size = min(size, len(encoder.EncodeAll(c.words().join(nil), nil))-len(magic))
			}
			sums = append(sums, sums[len(sums)-1]+size)
		}
		for i := 0; i+20 < len(sums); i++ {
			m.units += math.Ceil(float64(sums[i+20]-sums[i]+20*rest)/4096) / 2
			pages++
		}
		m.bytes += float64(sums[len(list)])
	}
	return measured{m.bytes / float64(len(comments)), m.units / pages}
}

// inHalf reports whether a name is in one half of all.
func inHalf(name string) bool {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name)
	return h.Sum64()>>32&1 == 0
}

// divide divides comments into those that are first, and the others.
func divide(comments []review, first func(review) bool) (in, out []review) {
	for _, c := range comments {
		if first(c) {
			in = append(in, c)
		} else {
			out = append(out, c)
		}
	}
	return in, out
}

// TestMeasure measures dictionaries on every other one of some comments: none, one that is made as
// the built-in one is, from comments of other products or from other sentences, one of the comments
// between them, and one of all of them, those that are measured included.
func TestMeasure(t *testing.T) {
	real, demo := corpora(t)
	t.Log("comments: words' bytes, units a page | plain | built-in | own | of the very same")
	row := func(name string, comments []review, builtIn []byte) {
		n := 0
		own, measuring := divide(comments, func(review) bool { n++; return n%2 == 0 })
		line := name
		for _, dictionary := range [][]byte{nil, builtIn, train(t, 1, own, nil), train(t, 1, comments, nil)} {
			m := measure(measuring, dictionary)
			line += fmt.Sprintf(" | %.0f, %.2f", m.bytes, m.units)
		}
		t.Log(line)
	}
	lounges, seats := divide(real, func(c review) bool { return strings.HasPrefix(c.ProductID, "lounge") })
	a, b := divide(real, func(c review) bool { _, airline, _ := strings.Cut(c.ProductID, "-"); return inHalf(airline) })
	row("airlines, by other airlines", a, train(t, 1, b, demo))
	row("the other airlines", b, train(t, 1, a, demo))
	row("seats, by lounges", seats, train(t, 1, lounges, demo))
	row("lounges, by seats", lounges, train(t, 1, seats, demo))
	a, b = divide(demo, func(c review) bool { return inHalf(c.ProductID) })
	row("products of the demo, by others", a, train(t, 1, real, b))
	row("the other products", b, train(t, 1, real, a))
	known, others := slices.Clone(demo), slices.Clone(demo)
	for i := range demo {
		known[i].Text, others[i].Text, others[i].Title, others[i].ProductID = "", "", "", ""
		for _, s := range sentences.FindAllString(demo[i].Text, -1) {
			if inHalf(s) {
				known[i].Text += s
			} else {
				others[i].Text += s
			}
		}
	}
	builtIn := train(t, 1, real, known)
	for _, language := range []string{"en", "de", "fr", "es", "pt-BR", "ja"} {
		of, _ := divide(others, func(c review) bool { return c.Language == language && c.Text != "" })
		row("other sentences of the demo, "+language, of, builtIn)
	}
}
