// Package compressed compresses author, title and text of a comment with zstd and a dictionary that is
// part of the program. A comment of a few hundred bytes is too short to compress well by itself;
// with common phrases in the dictionary it takes less than half its size.
//
// There is one dictionary for all shops and languages. It has the sentences of the demo, in six
// languages, and pieces of 3,490 airline reviews in English: each at most 64 bytes, and each six
// bytes of it are in at least three reviews. On reviews that it does not know a page of 20 costs
// 1.0 to 1.1 read units, as with a dictionary of the shop's own, and 1.9 to 2.0 in plain. On
// reviews of another trade it costs 8 to 26 % more than with one's own, and more in languages that
// it hardly knows. Command tools/dictionary trains it and measures that; docs/benchmarks.md has the
// figures.
//
// A compressed text names the version of its dictionary. A later dictionary is another file, so
// that texts of earlier ones stay readable.
package compressed

import (
	_ "embed" // the dictionary
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	"product-comments/store/comment/stats"
)

// dictionaries are all versions, the first is version 1. Texts of the last are written. A
// dictionary never changes: tables have texts that need it.
var dictionaries = [][]byte{dictionary1}

//go:embed dictionary1
var dictionary1 []byte

// Words are what a comment says.
type Words struct{ Author, Title, Text string }

// Size returns how many bytes the words have.
func (w Words) Size() int { return len(w.Author) + len(w.Title) + len(w.Text) }

// firstID is the first dictionary id that is free for private use
// (RFC 8878, section 6.4).
const firstID = 32768

// maxWords is the most bytes that a text may have: more than the longest comment.
const maxWords = 1 << 20

// maxPackers is how many comments are compressed at once. Each packer keeps some
// 10 MB of tables, and compresses tens of thousands of comments a second.
const maxPackers = 2

var (
	encoder = sync.OnceValue(func() *zstd.Encoder { return newEncoder(dictionaries[len(dictionaries)-1]) })
	decoder = sync.OnceValue(func() *zstd.Decoder { return newDecoder(dictionaries...) })
)

// newEncoder returns an encoder with a dictionary, which must be valid.
func newEncoder(dictionary []byte) *zstd.Encoder {
	e, err := zstd.NewWriter(nil,
		zstd.WithEncoderDict(dictionary),
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression), // the best level is 50 times slower for 2 % more
		zstd.WithEncoderCRC(false),                         // DynamoDB has checksums of its own
		zstd.WithSingleSegment(true),                       // the shortest header
		zstd.WithWindowSize(maxWords),                      // a packer keeps twice as much
		zstd.WithEncoderConcurrency(min(maxPackers, runtime.GOMAXPROCS(0))),
	)
	if err != nil {
		panic(err)
	}
	return e
}

// newDecoder returns a decoder for texts of some dictionaries, which must be valid.
func newDecoder(dictionaries ...[]byte) *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dictionaries...), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxWords))
	if err != nil {
		panic(err)
	}
	return d
}

// magic begins every zstd frame (RFC 8878, section 3.1.1). Compressed texts leave it
// out: it says nothing, and is one byte in a hundred of an item.
const magic = "\x28\xb5\x2f\xfd"

// Pack returns the words as one zstd frame without its magic number.
func Pack(w Words) []byte { return packWith(encoder(), w) }

func packWith(e *zstd.Encoder, w Words) []byte { return e.EncodeAll(w.Bytes(), nil)[len(magic):] }

// With returns Pack with another dictionary, which must be valid.
func With(dictionary []byte) func(Words) []byte {
	e := newEncoder(dictionary)
	return func(w Words) []byte { return packWith(e, w) }
}

// ID returns the id in the dictionary of a version.
func ID(version int) uint32 { return firstID + uint32(version) }

// scratch is memory that unpacking needs for a moment.
type scratch struct{ frame, joined []byte }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Unpack is the inverse of Pack. The words share one piece of memory. It returns an error if the
// text is damaged, or its dictionary is of a later version of the program.
func Unpack(packed string) (Words, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.frame = append(append(s.frame[:0], magic...), packed...)
	joined, err := decoder().DecodeAll(s.frame, s.joined[:0])
	if errors.Is(err, zstd.ErrUnknownDictionary) {
		return Words{}, errors.New("its text is compressed with a dictionary that this version of the program lacks")
	}
	if err != nil {
		return Words{}, err
	}
	s.joined = joined
	return split(string(joined))
}

// Bytes returns the words one after the other, the first two after their lengths: what is
// compressed.
func (w Words) Bytes() []byte {
	return append(stats.AppendText(stats.AppendText(nil, w.Author), w.Title), w.Text...)
}

func split(joined string) (w Words, err error) {
	for _, s := range []*string{&w.Author, &w.Title} {
		n, width := binary.Uvarint([]byte(joined[:min(len(joined), binary.MaxVarintLen64)]))
		if width <= 0 || n > uint64(len(joined)-width) {
			return Words{}, errors.New("the compressed text of a comment is incomplete")
		}
		*s, joined = joined[width:width+int(n)], joined[width+int(n):]
	}
	w.Text = joined
	return w, nil
}
