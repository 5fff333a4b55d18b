package photos

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"product-comments/internal/testing/testkit"
)

// drawing returns a picture whose four quarters have other colours: red, green, blue and white.
func drawing(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{200, 20, 20, 255}
			switch {
			case 2*y >= height && 2*x >= width:
				c = color.RGBA{240, 240, 240, 255}
			case 2*y >= height:
				c = color.RGBA{20, 20, 200, 255}
			case 2*x >= width:
				c = color.RGBA{20, 160, 20, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// scene returns a picture with the detail of a photograph.
func scene(width, height int) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	state := uint32(1)
	for y := range height {
		for x := range width {
			state = state*1664525 + 1013904223
			m.Y[y*m.YStride+x] = byte((x+y)*255/(width+height)) ^ byte(state>>29)
		}
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(100+i%56), byte(160-i%64)
	}
	return m
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}))
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, m))
	return b.Bytes()
}

// place is what cameras write about where a picture was taken.
const place = "47.3769N 8.5417E"

// exif returns EXIF data with an orientation and a position.
func exif(order binary.AppendByteOrder, orientation int) []byte {
	b := []byte("II*\x00")
	if order == binary.BigEndian {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 3)
	entry := func(tag, kind uint16, count, value uint32) {
		b = order.AppendUint16(order.AppendUint16(b, tag), kind)
		b = order.AppendUint32(b, count)
		if kind == 3 {
			b = order.AppendUint16(order.AppendUint16(b, uint16(value)), 0)
			return
		}
		b = order.AppendUint32(b, value)
	}
	entry(0x10f, 2, uint32(len(place)), 50) // the maker: here the position as text
	entry(0x112, 3, 1, uint32(orientation))
	entry(0x8825, 4, 1, 50+uint32(len(place))) // the directory of positions
	b = order.AppendUint32(b, 0)
	b = append(b, place...)
	b = order.AppendUint16(b, 1)
	entry(2, 2, uint32(len(place)), 50)
	return order.AppendUint32(b, 0)
}

// withSegment returns a JPEG with one more segment.
func withSegment(data []byte, marker byte, content []byte) []byte {
	out := append(bytes.Clone(data[:2]), 0xff, marker)
	out = binary.BigEndian.AppendUint16(out, uint16(len(content)+2))
	return append(append(out, content...), data[2:]...)
}

func withEXIF(data []byte, orientation int) []byte {
	return withSegment(data, 0xe1, append([]byte("Exif\x00\x00"), exif(binary.BigEndian, orientation)...))
}

func chunk(name string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, name...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// withChunk returns a PNG with one more chunk after its header.
func withChunk(data []byte, name string, content []byte) []byte {
	return append(append(bytes.Clone(data[:33]), chunk(name, content)...), data[33:]...)
}

// saying returns a PNG whose header says another size.
func saying(data []byte, width, height uint32) []byte {
	header := bytes.Clone(data[16:29])
	binary.BigEndian.PutUint32(header, width)
	binary.BigEndian.PutUint32(header[4:], height)
	return append(append(bytes.Clone(data[:8]), chunk("IHDR", header)...), data[33:]...)
}

// asWebP returns a lossless WebP of one colour: all its codes have one symbol, so the pixels take no
// bits. Further chunks go before the pixels.
func asWebP(width, height int, chunks ...[]byte) []byte {
	var bits, n uint64
	var pixels []byte
	put := func(value uint64, size uint64) {
		bits |= value << n
		for n += size; n >= 8; n -= 8 {
			pixels = append(pixels, byte(bits))
			bits >>= 8
		}
	}
	put(0x2f, 8)
	put(uint64(width-1), 14)
	put(uint64(height-1), 14)
	put(0, 1+3)                                             // no alpha, version
	put(0, 3)                                               // no transform, no colour cache, no groups of codes
	for _, symbol := range []uint64{160, 20, 200, 255, 0} { // green, red, blue, alpha, distance
		put(1, 1)      // a simple code
		put(0, 1)      // of one symbol
		put(1, 1)      // of 8 bits
		put(symbol, 8) // which it is
	}
	put(0, 8)
	body := []byte("WEBP")
	for _, c := range append(chunks, riffChunk("VP8L", pixels)) {
		body = append(body, c...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(name string, content []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(content)))
	return append(append(b, content...), make([]byte, len(content)%2)...)
}

// canvas returns the chunk that extended WebP files begin with.
func canvas(flags byte, width, height int) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{flags, 0, 0, 0}, uint32(width-1))[:7]
	return riffChunk("VP8X", binary.LittleEndian.AppendUint32(b, uint32(height-1))[:10])
}

// asCMYK returns a JPEG of four planes that is 16 pixels wide and high, of one colour. Each
// of its blocks is a difference of the mean, and an end.
func asCMYK(levels [4]int) []byte {
	b := []byte("\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
	b = append(b, 0xff, 0xdb, 0, 67, 0)
	b = append(b, bytes.Repeat([]byte{8}, 64)...) // a difference of 1 is 1 of the mean
	b = append(b, 0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4)
	for i := range byte(4) {
		b = append(b, i+1, 0x11, 0)
	}
	// Codes of 8 bits for the sizes 0 to 8 of differences, and one of 1 bit for the end of a block.
	b = append(append(b, 0xff, 0xc4, 0, 28, 0), 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	b = append(append(b, 0xff, 0xc4, 0, 20, 0x10), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, 0)
	b = append(b, 0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)
	var bits, n uint64
	put := func(value, size uint64) {
		for i := size; i > 0; i-- {
			bits, n = bits<<1|value>>(i-1)&1, n+1
			if n == 8 {
				if b = append(b, byte(bits)); bits == 0xff {
					b = append(b, 0)
				}
				bits, n = 0, 0
			}
		}
	}
	for _, level := range levels {
		value := level - 128
		size := uint64(0)
		for abs := max(value, -value); abs > 0; abs >>= 1 {
			size++
		}
		if value < 0 {
			value += 1<<size - 1
		}
		put(size, 8)
		put(uint64(value), size)
		put(0, 1)
	}
	put(0x7f, 7)
	return append(b, 0xff, 0xd9)
}
