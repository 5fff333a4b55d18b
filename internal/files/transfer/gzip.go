package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"product-comments/store/errs"
)

var gzipMagic = []byte{0x1f, 0x8b}

// members reads the members of a gzip stream in sequence. Like gzip(1), it ends at other bytes.
type members struct {
	gzip.Reader
	raw      *bufio.Reader
	trailing *atomic.Bool // set if the other bytes are not zeros, which fill blocks
}

// Read implements io.Reader.
func (m *members) Read(b []byte) (n int, err error) {
	for n == 0 && err == nil {
		if n, err = m.Reader.Read(b); err == io.EOF {
			err = m.next()
		}
	}
	return n, damaged(err)
}

// damaged explains an error of the compressed data.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return errs.Wrap(errs.BadUserInput, err, "the gzip data is damaged or cut off: get the whole file again")
	}
	return err
}

// next begins the next member. It returns io.EOF if there is none.
func (m *members) next() error {
	rest, err := m.raw.Peek(readBuffer)
	if err != nil && err != io.EOF {
		return err
	}
	if !bytes.HasPrefix(rest, gzipMagic) {
		m.trailing.Store(len(bytes.Trim(rest, "\x00")) > 0)
		return io.EOF
	}
	err = m.Reset(m.raw)
	m.Multistream(false)
	return err
}
