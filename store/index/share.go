package index

import (
	"hash/maphash"
	"sync/atomic"
)

// Share is the part of products, people and whatever else is compared that one pass
// over the table compares. A verifier passes over what is not in it, and says what it
// holds of the rest, so that a comparison takes as many passes as memory demands.
type Share struct {
	from, width uint64 // of hashes below hashes
	room        atomic.Int64
}

// hashes is how many hashes of names there are, and least how many of them a share has:
// however little memory there is, a comparison takes a bounded number of passes.
const (
	hashes = 1 << 32
	least  = hashes / 256
)

var shareSeed = maphash.MakeSeed()

// WholeShare returns the share that has everything. What is held of it should not be
// more than so many bytes.
func WholeShare(room int64) *Share {
	s := &Share{width: hashes}
	s.room.Store(room)
	return s
}

// Single reports whether the share cannot be divided.
func (s *Share) Single() bool { return s.width <= least }

// Half returns the first half of the share, with room again.
func (s *Share) Half(room int64) *Share {
	half := &Share{from: s.from, width: s.width / 2}
	half.room.Store(room)
	return half
}

// Next returns the share of the same size after this one, nil if this was the last.
func (s *Share) Next(room int64) *Share {
	if s.from+s.width >= hashes {
		return nil
	}
	next := &Share{from: s.from + s.width, width: s.width}
	next.room.Store(room)
	return next
}

// Has reports whether the share has a product, or something else, of this name.
func (s *Share) Has(name string) bool {
	return s.width == hashes || maphash.String(shareSeed, name)>>32-s.from < s.width
}

// Hold notes that so many bytes more are held, or fewer if they are negative.
func (s *Share) Hold(bytes int) { s.room.Add(-int64(bytes)) }

// Full reports whether more is held than should be.
func (s *Share) Full() bool { return s.room.Load() < 0 }
