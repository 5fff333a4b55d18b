package summary

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"product-comments/store/comment/stats"
)

// ErrDamaged says that Parse got bytes that are no summary.
var ErrDamaged = errors.New("it is not a summary of values")

// Bytes encodes a summary for Parse. Equal summaries have equal bytes. The counts must not be
// negative.
func (s Summary) Bytes() []byte {
	b := appendTable(binary.AppendUvarint(nil, uint64(s.Others)), s.Choices)
	b = binary.AppendUvarint(b, uint64(s.Numbers))
	if s.Numbers == 0 {
		return b
	}
	b = binary.AppendUvarint(stats.AppendText(b, s.Sum.String()), uint64(len(s.buckets)))
	for _, k := range slices.Sorted(maps.Keys(s.buckets)) {
		b = binary.AppendUvarint(binary.AppendVarint(b, int64(k)), uint64(s.buckets[k]))
	}
	if s.over {
		return b
	}
	return appendTable(b, s.values)
}

func appendTable(b []byte, m map[string]int) []byte {
	b = binary.AppendUvarint(b, uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		b = binary.AppendUvarint(stats.AppendText(b, k), uint64(m[k]))
	}
	return b
}

// Parse is the inverse of Bytes. It returns ErrDamaged for any other bytes.
func Parse(b []byte) (s Summary, err error) {
	r := stats.Reader{B: b}
	s.Others, s.Choices, s.Numbers = r.Count(), table(&r), r.Count()
	if s.Numbers > 0 && !r.Damaged {
		if s.Sum, err = ParseDecimal(r.Text()); err != nil {
			return s, ErrDamaged
		}
		s.buckets = map[bucket]int{}
		for n := r.Count(); n > 0 && !r.Damaged; n-- {
			k := r.Varint()
			r.Damaged = r.Damaged || k < int64(-highest) || k > int64(highest)
			s.buckets[bucket(k)] = r.Count()
		}
		if s.over = len(r.B) == 0; !s.over {
			s.values = table(&r)
			r.Damaged = r.Damaged || len(s.values) == 0
		}
	}
	if r.Damaged || len(r.B) > 0 {
		return s, ErrDamaged
	}
	return s, nil
}

func table(r *stats.Reader) map[string]int {
	n := r.Count()
	if n == 0 {
		return nil
	}
	m := make(map[string]int, min(n, 1024))
	for ; n > 0 && !r.Damaged; n-- {
		k := r.Text()
		m[k] = r.Count()
	}
	return m
}
