package photos

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"

	"product-comments/store/errs"
)

// The limits of an upload.
const (
	MaxBytes = 10 << 20
	// Cameras of "50 megapixels" make pictures of up to 50.4 million.
	maxPixels = 50_500_000
	million   = 1_000_000
	maxRatio  = 10 // of a side to the other
)

// format is a kind of picture, which its first bytes show.
type format struct {
	begins func(data []byte) bool
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	// parts calls found with the parts of a file outside its pixels, by name.
	parts func(data []byte, found func(name string, data []byte))
	// memory returns the bytes of decoding, or more.
	memory func(data []byte, c image.Config) int
}

var formats = []format{
	{func(d []byte) bool { return bytes.HasPrefix(d, []byte("\xff\xd8\xff")) }, jpeg.DecodeConfig, jpeg.Decode, partsOfJPEG, memoryOfJPEG},
	{func(d []byte) bool { return bytes.HasPrefix(d, []byte("\x89PNG\r\n\x1a\n")) }, png.DecodeConfig, png.Decode, partsOfPNG, memoryOfPNG},
	{func(d []byte) bool { return len(d) > 12 && string(d[:4]) == "RIFF" && string(d[8:12]) == "WEBP" }, webp.DecodeConfig, webp.Decode, partsOfWebP, memoryOfWebP},
}

// header is what a picture says before it is decoded.
type header struct {
	format
	width, height int // as stored
	orientation   int // of EXIF, 1 to 8
	memory        int // bytes of decoding, and of the greatest rendition
}

// shown returns the size as the picture is shown.
func (h header) shown() image.Point {
	if h.orientation > 4 {
		return image.Pt(h.height, h.width)
	}
	return image.Pt(h.width, h.height)
}

// readHeader reads the header of a picture. It refuses what is no picture to show, by what its bytes
// are; the decoder reads the same size from the same bytes.
func readHeader(data []byte) (h header, err error) {
	for _, h.format = range formats {
		if h.begins(data) {
			return h, h.read(data)
		}
	}
	return h, errs.Invalid(field, "it is no JPEG, PNG or WebP: choose another picture, or save this one as JPEG").For(errs.WrongType)
}

func (h *header) read(data []byte) error {
	h.orientation = 1
	moves := false
	h.parts(data, func(name string, part []byte) {
		switch name {
		case "acTL", "ANIM", "ANMF":
			moves = true
		case "Exif", "eXIf", "EXIF":
			h.orientation = orientation(part)
		}
	})
	if moves {
		return errs.Invalid(field, "it moves: choose a still picture").For(errs.WrongType)
	}
	c, err := h.config(bytes.NewReader(data))
	if err != nil {
		return damaged()
	}
	h.width, h.height = c.Width, c.Height
	switch pixels := h.width * h.height; { // of at most 31 bits each
	case h.width <= 0 || h.height <= 0:
		return errs.Invalid(field, "it has no pixels: choose another picture").For(errs.OutOfRange)
	case pixels > maxPixels || h.width > maxPixels || h.height > maxPixels:
		value := max(pixels, h.width, h.height) / million
		return errs.Invalid(field, "it has %d megapixels, the limit is %d: save it smaller", value, maxPixels/million).
			For(errs.OutOfRange).Past(value, maxPixels/million)
	case max(h.width, h.height) > maxRatio*min(h.width, h.height):
		return errs.Invalid(field, "one of its sides is more than %d times as long as the other: crop it", maxRatio).For(errs.OutOfRange)
	}
	out := fit(h.shown(), Widths[len(Widths)-1])
	h.memory = h.format.memory(data, c) + 8*out.X*out.Y // the rendition, and the same turned
	return nil
}

func damaged() *errs.Error {
	return errs.Invalid(field, "it is damaged or cut off: send it again, or save it as JPEG once more").For(errs.WrongType)
}

// memoryOfJPEG counts the planes, and for a progressive JPEG four bytes for each of their samples. It
// takes whatever could be the frame's header, so it counts no less than the decoder takes.
func memoryOfJPEG(data []byte, c image.Config) int {
	most := 0.0
	for rest := data; ; {
		at := bytes.IndexByte(rest, 0xff)
		if at < 0 || len(rest) < at+10 {
			break
		}
		rest = rest[at+1:]
		components := int(rest[8])
		if kind := rest[0]; kind < 0xc0 || kind > 0xc2 || components > 4 || len(rest) < 9+3*components ||
			int(binary.BigEndian.Uint16(rest[4:])) != c.Height || int(binary.BigEndian.Uint16(rest[6:])) != c.Width {
			continue
		}
		samples, first := 0.0, 0.0 // of a pixel
		for i := range components {
			sampling := rest[10+3*i]
			n := float64(sampling>>4) * float64(sampling&15)
			if i == 0 {
				first = n
			}
			samples += n / max(first, 1)
		}
		if rest[0] == 0xc2 {
			samples *= 5
		}
		most = max(most, samples)
	}
	if c.ColorModel != color.YCbCrModel && c.ColorModel != color.GrayModel {
		most += 4 // another copy
	}
	return int(most * float64(c.Width*c.Height))
}

// memoryOfPNG counts four bytes a pixel, or eight, and the passes of an interlaced picture.
func memoryOfPNG(data []byte, c image.Config) int {
	bytes := 4 * c.Width * c.Height
	if data[24] == 16 {
		bytes *= 2
	}
	if data[28] != 0 {
		bytes = bytes * 3 / 2
	}
	return bytes
}

// memoryOfWebP counts the planes, the alpha plane and its copy, or the pixels and their copy.
func memoryOfWebP(_ []byte, c image.Config) int {
	pixels := c.Width * c.Height
	switch c.ColorModel {
	case color.YCbCrModel:
		return pixels * 3 / 2
	case color.NYCbCrAModel:
		return pixels * 21 / 2
	}
	return pixels * 8
}
