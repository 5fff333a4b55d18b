package stream

import (
	"unsafe"

	"product-comments/store/derive/index"
	"product-comments/store/table"
)

// Memory on the heap besides the bytes of attributes: an image with the comment that is read from
// it, and an attribute, which takes a slot of a partly empty map, the header of its name, and a
// value behind an interface. Together a comment takes about three times its size in an answer of
// the stream.
const (
	imageBytes     = int(unsafe.Sizeof(index.Image{})) + 512
	attributeBytes = 128
)

// weigh estimates the bytes that a record takes on the heap until it is projected.
func weigh(r index.Record) int64 {
	sum := int(unsafe.Sizeof(r))
	for _, image := range []table.Item{r.Before, r.After} {
		if image != nil {
			sum += imageBytes + attributeBytes*len(image) + table.SizeOf(image)
		}
	}
	return int64(sum)
}
