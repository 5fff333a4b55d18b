// Package names has names of writes of comments, and the Set of names of the writes that an item of
// the table counts. The writes of a process to a product form a numbered series, so that a Set of
// many names takes a few bytes.
package names

import (
	"encoding/binary"
	"io"
	"time"
)

// Name is the name of a write, 8 bytes. The name of a numbered write consists of numberedPrefix,
// its series (5 bytes) and its number (2 bytes, big endian).
type Name string

// Size is the length of a name in bytes.
const Size = 8

// Window is the number of last names of a series that a Set distinguishes.
const Window = 512

// Age is how long after its acknowledgement a process treats a write as pending, unless a Set has
// its name. A stream keeps records for this time; then the write was projected, or a rebuild counts
// all comments again.
const Age = 24 * time.Hour

// numberedPrefix is the first byte of the name of a numbered write, and of no other name.
const numberedPrefix = 1

// silentPrefix is the first byte of the name of a write that makes no events, and of no other name.
const silentPrefix = 2

const (
	seriesSize = 5
	maxNumber  = 1<<16 - 2 // the Set can still store the next number
)

// Random returns a name outside all series. No Set ever has it.
func Random(random io.Reader) Name {
	b := read(random, Size)
	if b[0] == numberedPrefix || b[0] == silentPrefix {
		b[0] += 2
	}
	return Name(b)
}

// Silent returns a name outside all series, of a write that makes no events.
func Silent(random io.Reader) Name { return Name([]byte{silentPrefix}) + Name(read(random, Size-1)) }

// IsSilent reports whether the write makes no events.
func (n Name) IsSilent() bool { return len(n) == Size && n[0] == silentPrefix }

func read(random io.Reader, n int) []byte {
	b := make([]byte, n)
	_, _ = io.ReadFull(random, b) // never fails
	return b
}

// IsNumbered reports whether the name belongs to a series.
func (n Name) IsNumbered() bool { return len(n) == Size && n[0] == numberedPrefix }

// Series generates names for the writes of one process to one product. The zero value is ready for
// use.
type Series struct {
	id   string
	next int // number
}

// Next returns the next name. It begins another series after the last number.
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
