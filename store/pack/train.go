package pack

import (
	"fmt"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
)

// Samples is how many comments a dictionary should be made from, and SampleBytes how
// many bytes they should have: more make it no better, and training takes some forty
// times their size in memory. With less than MinSamples it is not worth its while.
const (
	Samples     = 5000
	SampleBytes = 1 << 20
	MinSamples  = 100
)

// maxDictionary is its size in bytes: it fits into an item of the table. Of
// sizes from 64 to 320 KB this one packed best.
const maxDictionary = 160 << 10

// phrase is how many bytes a phrase must have to be looked for among the
// samples. Of 4 to 8, the most that can be had, longer was better.
const phrase = 8

// held is one of how many samples show what the dictionary is worth, and are not
// trained on.
const held = 10

// Learn trains a dictionary of a version, from 1 on, with comments of a shop, and returns the
// compression ratio for other comments of the shop. It takes about a second of a processor. Too
// few samples, or samples without repetitions, are an error.
func Learn(version int, samples []Words) (dictionary []byte, share float64, err error) {
	samples = thin(samples)
	var trained, others []Words
	for i, w := range samples {
		if i%held == held-1 {
			others = append(others, w)
		} else {
			trained = append(trained, w)
		}
	}
	if dictionary, err = train(version, trained); err != nil {
		return nil, 0, err
	}
	c, err := New(dictionary)
	if err != nil {
		return nil, 0, err
	}
	return dictionary, c.Share(others), nil
}

// thin returns samples from all over the list that have SampleBytes at most, and all
// of a list that has no more.
func thin(samples []Words) []Words {
	size := 0
	for _, w := range samples {
		size += w.Size()
	}
	if size <= SampleBytes {
		return samples
	}
	var out []Words
	left := SampleBytes
	for at := 0.0; int(at) < len(samples); at += float64(size) / SampleBytes {
		if w := samples[int(at)]; w.Size() <= left {
			left -= w.Size()
			out = append(out, w)
		}
	}
	return out
}

// train makes a dictionary from all samples. What people write must not end the
// process, whatever the library makes of it.
func train(version int, samples []Words) (dictionary []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			dictionary, err = nil, fmt.Errorf("train the dictionary: %v", p)
		}
	}()
	input := make([][]byte, len(samples))
	for i, w := range samples {
		input[i] = w.join(nil)
	}
	dictionary, err = dict.BuildZstdDict(input, dict.Options{
		MaxDictSize: maxDictionary,
		HashBytes:   phrase,
		ZstdDictID:  uint32(firstID + version),
		ZstdLevel:   zstd.SpeedBetterCompression,
	})
	if err != nil {
		return nil, fmt.Errorf("train the dictionary: %w", err)
	}
	return dictionary, nil
}

// Share returns what part of their size comments take when they are packed; 1 if
// there are none.
func (c *Codec) Share(comments []Words) float64 {
	plain, packed := 0, 0
	for _, w := range comments {
		plain += w.Size()
		packed += len(c.Pack(w))
	}
	if plain == 0 {
		return 1
	}
	return float64(packed) / float64(plain)
}
