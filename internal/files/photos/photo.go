// Package photos reads the pictures that people upload, makes the renditions that pages show, and keeps
// them in a bucket.
//
// The original is forgotten, with all that it says about its place, its time and its camera: a
// rendition is made of pixels alone.
package photos

import (
	"image"
	"strconv"
	"time"

	"product-comments/store"
	"product-comments/store/key/photo"
)

// Photo is a photo as comments have it. Width and Height are those of the greatest rendition, in
// pixels, as it is shown. Placeholder are four colours, from the top of the picture to its bottom, each
// of three digits as CSS spells it: "8ac9bd676442" is the background
// linear-gradient(#8ac,#9bd,#676,#442).
type Photo = store.Photo

// Widths are the most pixels that renditions are wide.
var Widths = photo.Widths

// Picture is a photo with its renditions, smallest first.
type Picture struct {
	Photo
	Renditions []Rendition
	// Busy is how long a processor worked on the picture, also if it was refused.
	Busy time.Duration
}

// Rendition is a picture in one size, as a JPEG.
type Rendition struct {
	Width int // its name: the pixels that it has at most in width, one of Widths
	JPEG  []byte
}

// bands is the number of colours of a placeholder.
const bands = 4

// placeholder returns the mean colours of a picture from its top to its bottom.
func placeholder(m image.Image) string {
	text := make([]byte, 0, 3*bands)
	column := shrink(m, 1, bands)
	for y := range bands {
		r, g, b, _ := column.At(0, y).RGBA()
		for _, c := range []uint32{r, g, b} {
			text = strconv.AppendUint(text, uint64((c*15+0x7fff)/0xffff), 16)
		}
	}
	return string(text)
}
