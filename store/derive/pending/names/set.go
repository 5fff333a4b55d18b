package names

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// Set has the names of the last writes that an item of statistics counts. The zero value is the
// empty Set.
//
// It is small because the names of a series are numbered: mostly it stores the last number of each
// series. It is bounded, and reports dropped names as counted. So a Set may report a write as
// counted too early, but never reports a counted write as not counted.
type Set struct {
	members []member // in the order of their last counted writes
	// dropped is the time of the last counted write of all dropped series, in seconds since 1970; 0 if
	// no relevant series was dropped.
	dropped uint32
}

// member is a series in a Set.
type member struct {
	series string
	at     uint32   // time of the last write, in seconds since 1970
	low    int      // all smaller numbers are counted
	above  []uint16 // further counted numbers, in order
}

const (
	// members is the maximum number of series in a Set.
	members = 32
	// memberAge is the age of the last write after which a series can be dropped without loss: no
	// process asks for a name that is older than Age.
	memberAge = 48 * 60 * 60 // seconds
)

// headSize is the size of a member without above: its series, at, low, and the number of bytes of
// above that follow. These have a bit for each number.
const headSize = seriesSize + 4 + 2 + 1

var errDamaged = errors.New("it is not a set of names")

// ParseSet is the inverse of Bytes. It returns an error for any other bytes.
func ParseSet(b []byte) (Set, error) {
	if len(b) < 4 {
		return Set{}, errDamaged
	}
	s := Set{dropped: binary.BigEndian.Uint32(b)}
	for b = b[4:]; len(b) > 0; {
		if len(b) < headSize || len(b) < headSize+int(b[headSize-1]) {
			return Set{}, errDamaged
		}
		m := member{
			series: string(b[:seriesSize]), at: binary.BigEndian.Uint32(b[seriesSize:]),
			low: int(binary.BigEndian.Uint16(b[seriesSize+4:])),
		}
		bits := b[headSize : headSize+int(b[headSize-1])]
		for i := range 8 * len(bits) {
			if bits[i/8]>>(i%8)&1 == 1 {
				m.above = append(m.above, uint16(m.low+i))
			}
		}
		s.members, b = append(s.members, m), b[headSize+len(bits):]
	}
	return s, nil
}

// Bytes encodes the set for ParseSet.
func (s Set) Bytes() []byte {
	b := binary.BigEndian.AppendUint32(nil, s.dropped)
	for _, m := range s.members {
		b = append(b, m.series...)
		b = binary.BigEndian.AppendUint32(b, m.at)
		b = binary.BigEndian.AppendUint16(b, uint16(m.low))
		var bits []byte
		if n := len(m.above); n > 0 {
			bits = make([]byte, (int(m.above[n-1])-m.low)/8+1)
		}
		for _, number := range m.above {
			i := int(number) - m.low
			bits[i/8] |= 1 << (i % 8)
		}
		b = append(append(b, byte(len(bits))), bits...)
	}
	return b
}

// IsEmpty reports whether the set has no names and has dropped none.
func (s Set) IsEmpty() bool { return len(s.members) == 0 && s.dropped == 0 }

// skew is the maximum difference between the clock of a process and the stream's.
const skew = 10 * 60 // seconds

// MayHave reports whether a write may be counted; if false, it is not counted. since is a time
// before the write by the process's clock, zero if it is not known.
func (s Set) MayHave(n Name, since time.Time) bool {
	for _, m := range s.members {
		if m.series == n.series() {
			_, found := slices.BinarySearch(m.above, uint16(n.number()))
			return found || n.number() < m.low
		}
	}
	return s.dropped > 0 && int64(s.dropped)+skew >= since.Unix()
}

// With returns the set with the name of a write and without series that are too old to be relevant.
// made is the time of the write by the stream's clock.
func (s Set) With(n Name, made time.Time) Set {
	at := uint32(max(0, made.Unix()))
	out := Set{members: make([]member, 0, len(s.members)+1), dropped: s.dropped}
	m := member{series: n.series()}
	if s.dropped > 0 { // the series may have been dropped: smaller numbers may be counted
		m.low = n.number()
	}
	for _, other := range s.members {
		switch {
		case other.series == m.series:
			m = other
		case !isOld(other.at, at):
			out.members = append(out.members, other)
		}
	}
	m.at = max(m.at, at)
	out.members = append(out.members, m.withNumber(n.number()))
	if isOld(out.dropped, at) {
		out.dropped = 0
	}
	if len(out.members) > members {
		out.dropped = max(out.dropped, out.members[0].at, 1)
		out.members = out.members[1:]
	}
	return out
}

func isOld(at, now uint32) bool { return now > at && now-at > memberAge }

// withNumber returns the member with one more number.
func (m member) withNumber(number int) member {
	i, found := slices.BinarySearch(m.above, uint16(number))
	if found || number < m.low {
		return m
	}
	m.above = slices.Insert(slices.Clone(m.above), i, uint16(number))
	if highest := int(m.above[len(m.above)-1]); highest-m.low >= Window {
		m.low = highest - Window + 1
	}
	for len(m.above) > 0 && int(m.above[0]) <= m.low {
		m.low = max(m.low, int(m.above[0])+1)
		m.above = m.above[1:]
	}
	return m
}
