package embedded

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"strings"

	"product-comments/internal/engine/dynamo"
)

// The key of a row consists of the view of the row (4 bytes), the hash of the partition key (2 bytes;
// scans are divided by it), the length of the partition key (2 bytes), the partition key, the sort key
// in an escaped form that ends, and in an index the item's ID in the table. So the rows of a
// partition are adjacent, in the order of the sort key.

// hashOf returns the hash of a partition key.
func hashOf(partition string) uint16 {
	h := fnv.New32a()
	h.Write([]byte(partition))
	sum := h.Sum32()
	return uint16(sum ^ sum>>16)
}

func prefixOf(view uint32) []byte { return binary.BigEndian.AppendUint32(make([]byte, 0, 96), view) }

// partitionOf returns the prefix of the keys of a partition.
func partitionOf(view uint32, partition string) []byte {
	k := binary.BigEndian.AppendUint16(prefixOf(view), hashOf(partition))
	k = binary.BigEndian.AppendUint16(k, uint16(len(partition)))
	return append(k, partition...)
}

// appendSort appends a sort key so that the keys keep its order: a zero byte is escaped, and two
// zero bytes end it.
func appendSort(k []byte, sort string) []byte {
	for {
		i := strings.IndexByte(sort, 0)
		if i < 0 {
			return append(append(k, sort...), 0, 0)
		}
		k = append(append(k, sort[:i]...), 0, 0xff)
		sort = sort[i+1:]
	}
}

// rowKey returns the key of the row at a position in a view.
func rowKey(view uint32, p dynamo.Position, index bool) []byte {
	k := appendSort(partitionOf(view, p.Partition), p.Sort)
	if index {
		k = append(k, p.ID...)
	}
	return k
}

// span contains the rows with keys from low, included, to high, excluded.
type span struct{ low, high []byte }

// spanOf returns the rows of a partition within a range of sort keys.
func spanOf(view uint32, keys dynamo.Keys) span {
	low := partitionOf(view, keys.Partition)
	high := append([]byte(nil), low...)
	if keys.Low != "" {
		low = appendSort(low, keys.Low)
	}
	if keys.High != "" {
		return span{low, appendSort(high, keys.High)}
	}
	return span{low, after(high)}
}

// segmentOf returns the rows of a segment of a view.
func segmentOf(view uint32, segment, segments int) span {
	at := func(segment int) []byte {
		first := (segment<<16 + segments - 1) / segments // the least hash of the segment
		if first > 0xffff {
			return after(prefixOf(view))
		}
		return binary.BigEndian.AppendUint16(prefixOf(view), uint16(first))
	}
	return span{at(segment), at(segment + 1)}
}

// after returns the least key that is greater than all keys with the prefix k. It alters k.
func after(k []byte) []byte {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil
}

// has reports whether a key belongs to the span.
func (s span) has(k []byte) bool { return bytes.Compare(k, s.low) >= 0 && bytes.Compare(k, s.high) < 0 }
