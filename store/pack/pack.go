// Package pack compresses author, title and text of comments, by zstd with a dictionary that
// was trained on comments. A comment of a few hundred bytes is too short to compress well
// alone; with the phrases of a shop's comments in the dictionary it takes less than half its
// size.
//
// A frame contains the version of its dictionary, so frames of older dictionaries stay
// readable. The package is pure; package settings keeps the dictionaries in the table.
package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Words are what a comment says.
type Words struct{ Author, Title, Text string }

// Size returns how many bytes the words have.
func (w Words) Size() int { return len(w.Author) + len(w.Title) + len(w.Text) }

// Codec packs and unpacks with one dictionary. It is safe for concurrent use.
type Codec struct {
	version int
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// firstID is the first dictionary id that is free for private use
// (RFC 8878, section 6.4).
const firstID = 32768

// maxWords bounds what a frame may unpack to: more than the longest comment.
const maxWords = 1 << 20

// maxPackers is how many comments a codec packs at once. Each packer keeps some
// 10 MB of tables, and packs tens of thousands of comments a second.
const maxPackers = 2

// New returns the codec of a dictionary that Train made.
func New(dictionary []byte) (*Codec, error) {
	inspected, err := zstd.InspectDictionary(dictionary)
	if err != nil {
		return nil, fmt.Errorf("the dictionary is damaged: %w", err)
	}
	c := &Codec{version: int(inspected.ID()) - firstID}
	c.encoder, err = zstd.NewWriter(nil,
		zstd.WithEncoderDict(dictionary),
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression), // the best level is 50 times slower for 2 % more
		zstd.WithEncoderCRC(false),                         // DynamoDB has checksums of its own
		zstd.WithSingleSegment(true),                       // the shortest header
		zstd.WithWindowSize(maxWords),                      // a packer keeps twice as much
		zstd.WithEncoderConcurrency(min(maxPackers, runtime.GOMAXPROCS(0))),
	)
	if err != nil {
		return nil, fmt.Errorf("use the dictionary: %w", err)
	}
	c.decoder, err = zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxWords))
	if err != nil {
		return nil, fmt.Errorf("use the dictionary: %w", err)
	}
	return c, nil
}

// Version returns the dictionary's version, 1 or more.
func (c *Codec) Version() int { return c.version }

// magic begins every zstd frame (RFC 8878, section 3.1.1). Packed words leave it
// out: it says nothing, and is one byte in a hundred of an item.
const magic = "\x28\xb5\x2f\xfd"

// Pack returns the words as one zstd frame without its magic number.
func (c *Codec) Pack(w Words) []byte { return c.encoder.EncodeAll(w.join(nil), nil)[len(magic):] }

// scratch is memory that unpacking needs for a moment.
type scratch struct{ frame, joined []byte }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Unpack is the inverse of Pack. The words share one piece of memory.
func (c *Codec) Unpack(packed string) (Words, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.frame = append(append(s.frame[:0], magic...), packed...)
	joined, err := c.decoder.DecodeAll(s.frame, s.joined[:0])
	if err != nil {
		return Words{}, err
	}
	s.joined = joined
	return split(string(joined))
}

// VersionOf returns the version of the dictionary that words were packed with.
func VersionOf(packed string) (int, error) {
	var h zstd.Header
	frame := append(make([]byte, 0, len(magic)+zstd.HeaderMaxSize), magic...)
	if err := h.Decode(append(frame, packed[:min(len(packed), zstd.HeaderMaxSize)]...)); err != nil {
		return 0, err
	}
	if h.DictionaryID <= firstID {
		return 0, errors.New("it names no dictionary of comments")
	}
	return int(h.DictionaryID) - firstID, nil
}

// join puts the words one behind the other, the first two behind their lengths.
func (w Words) join(b []byte) []byte {
	for _, s := range []string{w.Author, w.Title} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return append(b, w.Text...)
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
