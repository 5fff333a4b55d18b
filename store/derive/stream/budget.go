package stream

import (
	"context"
	"sync"
	"unsafe"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/derive/index"
	"product-comments/store/table"
)

// budget bounds the memory of records that were read and not yet projected. Only readers wait for
// it, one at a time, and hold nothing while they wait. Lanes give memory back and never wait for
// it, so there is no deadlock.
type budget struct {
	size       int64
	readerSlot chan struct{} // held by the reader that waits for memory
	freed      chan struct{} // something was given back

	mu    sync.Mutex
	taken int64
}

func newBudget(size int64) *budget {
	return &budget{size: size, readerSlot: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

// take waits until the given number of bytes is free, and takes them. A request for more than the
// whole budget waits until nothing else is taken. It returns the context's error if that ends
// first.
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

// room reports whether the given number of bytes is free.
func (b *budget) room(bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken == 0 || b.taken+bytes <= b.size
}

// give gives bytes back. A negative number takes more without a wait, for records that need more
// than was taken for them.
func (b *budget) give(bytes int64) {
	b.mu.Lock()
	b.taken -= bytes
	b.mu.Unlock()
	signal(b.freed)
}

// Memory on the heap besides the bytes of attributes: an image with the comment that is read from
// it, and an attribute, which takes a slot of a partly empty map, the header of its name, and a
// value behind an interface. Together a comment takes about three times its size in an answer of
// the stream.
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
