package embedded

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"strings"

	"product-comments/internal/dynamo"
)

// A row's key is, in this order: the view that the row belongs to (4 bytes), the hash of the
// partition key (2 bytes, by which scans are divided), the partition key after its length (2 bytes),
// the sort key in an escaped form that ends, and in an index the item's ID in the table. So the rows
// of a partition follow each other in the order of the sort key.

// hashOf returns the hash of a partition key.
func hashOf(partition string) uint16 {
	h := fnv.New32a()
	h.Write([]byte(partition))
	sum := h.Sum32()
	return uint16(sum ^ sum>>16)
}

func prefixOf(view uint32) []byte { return binary.BigEndian.AppendUint32(make([]byte, 0, 96), view) }

// partitionOf returns what the keys of a partition begin with.
func partitionOf(view uint32, partition string) []byte {
	k := binary.BigEndian.AppendUint16(prefixOf(view), hashOf(partition))
	k = binary.BigEndian.AppendUint16(k, uint16(len(partition)))
	return append(k, partition...)
}

// appendSort appends a sort key so that keys sort as it does: a zero byte is escaped, and two end it.
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

// rowKey returns the key of a row at a place in a view.
func rowKey(view uint32, p dynamo.Place, index bool) []byte {
	k := appendSort(partitionOf(view, p.Partition), p.Sort)
	if index {
		k = append(k, p.ID...)
	}
	return k
}

// span are rows with keys from low on and below high.
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

// after returns the least key that is greater than all that begin with k. It alters k.
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
