package summary

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// ErrDamaged says that Parse got bytes that are no summary.
var ErrDamaged = errors.New("it is not a summary of values")

// Bytes encodes a summary for Parse. Equal summaries have equal bytes. The counts must not be
// negative.
func (s Summary) Bytes() []byte {
	var b []byte
	count := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(t string) {
		count(len(t))
		b = append(b, t...)
	}
	table := func(m map[string]int) {
		count(len(m))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			text(k)
			count(m[k])
		}
	}
	count(s.Others)
	table(s.Choices)
	count(s.Numbers)
	if s.Numbers == 0 {
		return b
	}
	text(s.Sum.String())
	count(len(s.buckets))
	for _, k := range slices.Sorted(maps.Keys(s.buckets)) {
		b = binary.AppendVarint(b, int64(k))
		count(s.buckets[k])
	}
	if s.over {
		return b
	}
	table(s.values)
	return b
}

// Parse is the inverse of Bytes. It returns ErrDamaged for any other bytes.
func Parse(b []byte) (s Summary, err error) {
	damaged := false
	count := func() int {
		n, width := binary.Uvarint(b)
		if width <= 0 || n > 1<<53 {
			damaged = true
			return 0
		}
		b = b[width:]
		return int(n)
	}
	text := func() string {
		n := count()
		if n > len(b) {
			damaged = true
			return ""
		}
		t := string(b[:n])
		b = b[n:]
		return t
	}
	table := func() map[string]int {
		n := count()
		if damaged || n == 0 {
			return nil
		}
		m := make(map[string]int, min(n, 1024))
		for range n {
			k := text()
			if m[k] = count(); damaged {
				return nil
			}
		}
		return m
	}
	s.Others, s.Choices, s.Numbers = count(), table(), count()
	if damaged || s.Numbers == 0 {
		return s, ended(damaged, b)
	}
	if s.Sum, err = ParseDecimal(text()); err != nil {
		return s, ErrDamaged
	}
	s.buckets = map[bucket]int{}
	for n := count(); n > 0 && !damaged; n-- {
		k, width := binary.Varint(b)
		if width <= 0 || k < int64(-highest) || k > int64(highest) {
			return s, ErrDamaged
		}
		b = b[width:]
		s.buckets[bucket(k)] = count()
	}
	if s.over = len(b) == 0; s.over {
		return s, ended(damaged, b)
	}
	s.values = table()
	return s, ended(damaged || len(s.values) == 0, b)
}

func ended(damaged bool, rest []byte) error {
	if damaged || len(rest) > 0 {
		return ErrDamaged
	}
	return nil
}
