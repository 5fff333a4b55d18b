package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"

	"product-comments/store"
	"product-comments/store/comment/compressed"
)

// rest is how many bytes a comment takes in an index besides author, title and text.
const rest = 156

// measured are averages of a comment and a page.
type measured struct{ bytes, units float64 }

// measure returns the bytes of a comment's words, and the read units of a page of 20, of all pages
// of each product from any comment on. Without a dictionary the words are plain.
func measure(comments []store.Comment, dictionary []byte) (m measured) {
	products := map[string][]store.Comment{}
	for _, c := range comments {
		products[c.ProductID] = append(products[c.ProductID], c)
	}
	var packed func(compressed.Words) []byte
	if dictionary != nil {
		packed = compressed.With(dictionary)
	}
	pages := 0.0
	for _, list := range products {
		slices.SortStableFunc(list, func(a, b store.Comment) int { return b.CreatedAt.Compare(a.CreatedAt) })
		sums := []int{0}
		for _, c := range list {
			w := wordsOf(c)
			size := w.Size()
			if packed != nil {
				size = min(size, len(packed(w)))
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

// divide divides comments into the first ones and the others.
func divide(comments []store.Comment, first func(store.Comment) bool) (in, out []store.Comment) {
	for _, c := range comments {
		if first(c) {
			in = append(in, c)
		} else {
			out = append(out, c)
		}
	}
	return in, out
}

// compare measures every second comment of several corpora: in plain, with a dictionary that is
// trained as the built-in one but on other comments, with one trained on the comments between, and
// with one trained on all, the measured ones included.
func compare(to io.Writer, real, demo []store.Comment) error {
	fmt.Fprintln(to, "comments: bytes of the words, read units a page | plain | built-in | own | of the very same")
	row := func(name string, comments, of, with []store.Comment) error {
		n := 0
		own, measuring := divide(comments, func(store.Comment) bool { n++; return n%2 == 0 })
		builtIn, err := train(1, of, with)
		ownOne, ownErr := train(1, own, nil)
		same, sameErr := train(1, comments, nil)
		if err := errors.Join(err, ownErr, sameErr); err != nil {
			return err
		}
		line := name
		for _, dictionary := range [][]byte{nil, builtIn, ownOne, same} {
			m := measure(measuring, dictionary)
			line += fmt.Sprintf(" | %.0f, %.2f", m.bytes, m.units)
		}
		_, err = fmt.Fprintln(to, line)
		return err
	}
	lounges, seats := divide(real, func(c store.Comment) bool { return strings.HasPrefix(c.ProductID, "lounge") })
	a, b := divide(real, func(c store.Comment) bool { _, airline, _ := strings.Cut(c.ProductID, "-"); return inHalf(airline) })
	p, q := divide(demo, func(c store.Comment) bool { return inHalf(c.ProductID) })
	err := errors.Join(row("airlines, by other airlines", a, b, demo), row("the other airlines", b, a, demo),
		row("seats, by lounges", seats, lounges, demo), row("lounges, by seats", lounges, seats, demo),
		row("products of the demo, by others", p, real, q), row("the other products", q, real, p))
	known, others := slices.Clone(demo), slices.Clone(demo)
	for i := range demo {
		known[i].Text, others[i].Text, others[i].Title, others[i].ProductID = "", "", "", ""
		for _, sentence := range sentences.FindAllString(demo[i].Text, -1) {
			if inHalf(sentence) {
				known[i].Text += sentence
			} else {
				others[i].Text += sentence
			}
		}
	}
	for _, language := range []string{"en", "de", "fr", "es", "pt-BR", "ja"} {
		of, _ := divide(others, func(c store.Comment) bool { return c.Language == language && c.Text != "" })
		err = errors.Join(err, row("other sentences of the demo, "+language, of, real, known))
	}
	return err
}
