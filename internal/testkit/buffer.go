package testkit

import (
	"bytes"
	"sync"
)

// Buffer is a bytes.Buffer that may be read while others write to it, as the log of
// a process is.
type Buffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write is part of io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
