// Package names names writes of comments, and keeps which of them an item of the table
// counts. The names of a process's writes to a product are a numbered series, so that a
// Set of many takes a few bytes.
package names

import (
	"encoding/binary"
	"io"
	"time"
)

// Name of a write, 8 bytes. That of a numbered write is a mark, which series it is of, and
// its number therein.
type Name string

// Size is the length of a name in bytes.
const Size = 8

// Window bounds the distance between numbers of a series: a Set distinguishes so many of the
// last ones.
const Window = 512

// Age is for how long after it was acknowledged a process takes a write for pending, unless
// a Set has its name: as long as a stream keeps its record, after which it was projected or
// all comments are counted again.
const Age = 24 * time.Hour

// numberedPrefix is the first byte of the name of a numbered write, and of no other.
const numberedPrefix = 1

const (
	seriesSize = 5
	maxNumber  = 1<<16 - 2 // one more still fits
)

// Random returns a name that is in no series: no Set ever has it.
func Random(random io.Reader) Name {
	b := read(random, Size)
	if b[0] == numberedPrefix {
		b[0]++
	}
	return Name(b)
}

func read(random io.Reader, n int) []byte {
	b := make([]byte, n)
	_, _ = io.ReadFull(random, b) // never fails
	return b
}

// IsNumbered reports whether the name is one of a series.
func (n Name) IsNumbered() bool { return len(n) == Size && n[0] == numberedPrefix }

// Series names writes of one process to one product. The zero value is ready for use.
type Series struct {
	id   string
	next int // number
}

// Next returns the next name. A series that has no more numbers is followed by another.
func (s *Series) Next(random io.Reader) Name {
	if s.id == "" || s.next > maxNumber {
		*s = Series{id: string(read(random, seriesSize))}
	}
	s.next++
	return nameOf(s.id, s.next-1)
}

func nameOf(series string, number int) Name {
	b := append([]byte{numberedPrefix}, series...)
	return Name(binary.BigEndian.AppendUint16(b, uint16(number)))
}

func (n Name) series() string { return string(n[1 : 1+seriesSize]) }

func (n Name) number() int { return int(n[6])<<8 | int(n[7]) }
