package stream

import (
	"context"
	"sync"
	"unsafe"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/index"
	"product-comments/store/table"
)

// budget bounds the memory of records that were read and not yet projected. Only
// readers wait for it, one after the other, and with nothing in hand: lanes, which
// give back, never do.
type budget struct {
	size       int64
	readerSlot chan struct{} // held by the reader whose turn it is
	freed      chan struct{} // something was given back

	mu    sync.Mutex
	taken int64
}

func newBudget(size int64) *budget {
	return &budget{size: size, readerSlot: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

// take waits until there is room for so many bytes, and takes them. What is more than
// the whole budget may have it as soon as nothing else is taken. It returns the
// context's error if that ends first.
func (b *budget) take(ctx context.Context, bytes int64) error {
	select {
	case b.readerSlot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.readerSlot }()
	for !b.room(bytes) {
		select {
		case <-b.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.give(-bytes)
	return nil
}

// room reports whether so many bytes could be taken.
func (b *budget) room(bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken == 0 || b.taken+bytes <= b.size
}

// give gives bytes back. They are negative for something that turned out to need more
// than was taken for it.
func (b *budget) give(bytes int64) {
	b.mu.Lock()
	b.taken -= bytes
	b.mu.Unlock()
	ask(b.freed)
}

// What things take on the heap besides their bytes: an image with the comment that is
// read from it, and an attribute, which is a slot of a map that is not full, the
// attribute's name, and a value behind an interface. The sum of them is some three
// times what a comment takes in the answer of a stream.
const (
	imageBytes     = int64(unsafe.Sizeof(index.Image{})) + 512
	attributeBytes = 128
)

// weigh estimates the bytes that a record takes on the heap until it is projected.
func weigh(r index.Record) int64 {
	sum := int64(unsafe.Sizeof(r))
	for _, image := range []table.Item{r.Before, r.After} {
		if image != nil {
			sum += imageBytes + weighMap(image)
		}
	}
	return sum
}

func weighMap(m map[string]types.AttributeValue) (sum int64) {
	for name, value := range m {
		sum += attributeBytes + int64(len(name)) + weighValue(value)
	}
	return sum
}

func weighValue(v types.AttributeValue) (sum int64) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return int64(len(v.Value))
	case *types.AttributeValueMemberN:
		return int64(len(v.Value))
	case *types.AttributeValueMemberB:
		return int64(len(v.Value))
	case *types.AttributeValueMemberM:
		return weighMap(v.Value)
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			sum += attributeBytes + weighValue(e)
		}
	}
	return sum
}
