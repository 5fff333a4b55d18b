package main

import (
	"regexp"
	"slices"

	"github.com/klauspost/compress/zstd"

	"product-comments/store"
	"product-comments/store/comment/compressed"
)

const (
	gram    = 6         // bytes of a phrase whose occurrences are counted
	common  = 3         // reviews that must have a phrase, so that it is no one's own
	segment = 64        // bytes of a piece of a review
	pieces  = 160 << 10 // bytes of all of them
)

// phrases returns the most frequent pieces of reviews, the most frequent ones last, where
// references to them are shortest. It divides the reviews into parts, and takes the piece of each
// that has the most frequent grams which no piece before has.
func phrases(real []store.Comment) []byte {
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
func sentencesOf(comments []store.Comment) (all []byte) {
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

// train returns the dictionary of a version. The same comments give the same dictionary.
func train(version int, real, demo []store.Comment) ([]byte, error) {
	o := zstd.BuildDictOptions{ID: compressed.ID(version), Offsets: [3]int{1, 4, 8}, Level: zstd.SpeedBetterCompression}
	if o.History = sentencesOf(demo); len(real) > 0 {
		o.History = append(o.History, phrases(real)...)
	}
	for i, c := range slices.Concat(real, demo) {
		if i < len(real) || i%12 == 0 { // the demo repeats itself
			o.Contents = append(o.Contents, wordsOf(c).Bytes())
		}
	}
	return zstd.BuildDict(o)
}

func wordsOf(c store.Comment) compressed.Words {
	return compressed.Words{Author: c.Author, Title: c.Title, Text: c.Text}
}
