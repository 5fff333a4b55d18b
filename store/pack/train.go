package pack

import (
	"fmt"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
)

// Samples is how many comments a dictionary should be trained on: more make it
// no better. With less than MinSamples it is not worth its while.
const (
	Samples    = 5000
	MinSamples = 100
)

// maxDictionary is its size in bytes: it fits into an item of the table. Of
// sizes from 64 to 320 KB this one packed best.
const maxDictionary = 160 << 10

// phrase is how many bytes a phrase must have to be looked for among the
// samples. Of 4 to 8, the most that can be had, longer was better.
const phrase = 8

// Train makes a dictionary, of a version from 1 on, from comments as they are
// in the shop. It takes a second.
func Train(version int, samples []Words) ([]byte, error) {
	if len(samples) < MinSamples {
		return nil, fmt.Errorf("%d comments are too few to train on, %d are needed", len(samples), MinSamples)
	}
	input := make([][]byte, len(samples))
	for i, w := range samples {
		input[i] = w.join(nil)
	}
	dictionary, err := dict.BuildZstdDict(input, dict.Options{
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

// Ratio trains on some comments, and returns what part of their size others
// take when they are packed.
func Ratio(samples, others []Words) (float64, error) {
	dictionary, err := Train(1, samples)
	if err != nil {
		return 0, err
	}
	c, err := New(dictionary)
	if err != nil {
		return 0, err
	}
	plain, packed := 0, 0
	for _, w := range others {
		plain += len(w.Author) + len(w.Title) + len(w.Text)
		packed += len(c.Pack(w))
	}
	return float64(packed) / float64(max(plain, 1)), nil
}
