package stats

import "encoding/binary"

// AppendText encodes a text, preceded by its length.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Reader decodes encoded counts. After invalid bytes Damaged is true, and what follows is zero.
type Reader struct {
	B       []byte // the bytes that follow
	Damaged bool
}

// More reports whether bytes follow.
func (r *Reader) More() bool { return len(r.B) > 0 && !r.Damaged }

// Bytes returns the next bytes.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.B) {
		r.Damaged, r.B = true, nil
		return make([]byte, max(0, min(n, 16)))
	}
	out := r.B[:n]
	r.B = r.B[n:]
	return out
}

// Uvarint decodes a number of binary.AppendUvarint.
func (r *Reader) Uvarint() int64 {
	n, width := binary.Uvarint(r.B)
	r.skip(width)
	return int64(n)
}

// Varint decodes a number of binary.AppendVarint.
func (r *Reader) Varint() int64 {
	n, width := binary.Varint(r.B)
	r.skip(width)
	return n
}

func (r *Reader) skip(width int) {
	if width <= 0 {
		r.Damaged, width = true, len(r.B)
	}
	r.B = r.B[width:]
}

// Count decodes a count, which is at most 1<<53.
func (r *Reader) Count() int {
	n := r.Uvarint()
	if n < 0 || n > 1<<53 {
		r.Damaged = true
		return 0
	}
	return int(n)
}

// Text decodes a text of AppendText.
func (r *Reader) Text() string {
	n := r.Count()
	if n > len(r.B) {
		r.Damaged = true
		return ""
	}
	return string(r.Bytes(n))
}
