package photos

import (
	"image"
	"image/draw"
)

// shrink returns a picture in another size: each pixel is the mean of the area that it covers. That
// needs one pass over the picture and two rows of memory, where the kernels of golang.org/x/image/draw
// need 150 MB for twelve megapixels, and its faster scalers skip pixels. The planes of a JPEG are
// scaled as they are, so that colours are converted for the pixels that remain only.
func shrink(m image.Image, width, height int) image.Image {
	bounds := m.Bounds()
	if planes, ok := m.(*image.YCbCr); ok {
		out := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio444)
		last := planes.COffset(bounds.Max.X-1, bounds.Max.Y-1)
		small := image.Pt(last%planes.CStride+1, last/planes.CStride+1)
		plane := func(pix []byte, stride int, size image.Point) []byte {
			return means(size, image.Pt(width, height), 1, func(y int) []byte { return pix[y*stride:] })
		}
		out.Y = plane(planes.Y, planes.YStride, bounds.Size())
		out.Cb, out.Cr = plane(planes.Cb, planes.CStride, small), plane(planes.Cr, planes.CStride, small)
		return out
	}
	out, row := image.NewRGBA(image.Rect(0, 0, width, height)), image.NewRGBA(image.Rect(0, 0, bounds.Dx(), 1))
	out.Pix = means(bounds.Size(), image.Pt(width, height), 4, func(y int) []byte {
		draw.Draw(row, row.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(row, row.Rect, m, image.Pt(bounds.Min.X, bounds.Min.Y+y), draw.Over)
		return row.Pix
	})
	return out
}

// span is the part of a line that a pixel covers: all from pixel first to before pixel last, without
// a part of the first and with a part of the last.
type span struct {
	first, last   int
	without, with uint32
}

// spans divides a line of pixels into others. The unit of parts is such that a pixel has to of them,
// and a span as many as the line has pixels.
func spans(from, to int) []span {
	all := make([]span, to)
	for i := range all {
		all[i] = span{i * from / to, (i + 1) * from / to, uint32(i * from % to), uint32((i + 1) * from % to)}
	}
	return all
}

// means returns the pixels of a picture, each of some channels, in another size. row returns a row.
// It is called in order.
func means(from, to image.Point, channels int, row func(y int) []byte) []byte {
	across, down := spans(from.X, to.X), spans(from.Y, to.Y)
	out := make([]byte, 0, to.X*to.Y*channels)
	line, sums := make([]uint32, to.X*channels), make([]uint64, to.X*channels)
	read := -1 // the row that line has
	add := func(y int, weight uint64) {
		if weight == 0 {
			return
		}
		if read != y {
			sumLine(line, row(y), across, uint32(to.X), channels)
			read = y
		}
		for i, sum := range line {
			sums[i] += uint64(sum) * weight
		}
	}
	area := uint64(from.X) * uint64(from.Y)
	for _, s := range down {
		clear(sums)
		if s.first == s.last {
			add(s.first, uint64(s.with-s.without))
		} else {
			add(s.first, uint64(to.Y)-uint64(s.without))
			for y := s.first + 1; y < s.last; y++ {
				add(y, uint64(to.Y))
			}
			add(s.last, uint64(s.with))
		}
		for _, sum := range sums {
			out = append(out, byte((sum+area/2)/area))
		}
	}
	return out
}

// sumLine sets the sums of the spans of a line; a pixel counts size times.
func sumLine(sums []uint32, pix []byte, across []span, size uint32, channels int) {
	for i, s := range across {
		for c := range channels {
			var sum uint32
			for at := s.first*channels + c; at < s.last*channels; at += channels {
				sum += uint32(pix[at])
			}
			sum = sum*size - s.without*uint32(pix[s.first*channels+c])
			if s.with > 0 {
				sum += s.with * uint32(pix[s.last*channels+c])
			}
			sums[i*channels+c] = sum
		}
	}
}

// turn returns a picture that shrink made as EXIF's orientation, 1 to 8, says how it is shown.
func turn(m image.Image, orientation int) image.Image {
	if orientation == 1 {
		return m
	}
	size := m.Bounds().Size()
	shown := image.Rectangle{Max: size}
	if orientation > 4 {
		shown.Max = image.Pt(size.Y, size.X)
	}
	switch m := m.(type) {
	case *image.YCbCr:
		out := image.NewYCbCr(shown, image.YCbCrSubsampleRatio444)
		for _, p := range [][2][]byte{{out.Y, m.Y}, {out.Cb, m.Cb}, {out.Cr, m.Cr}} {
			turnPixels(p[0], p[1], size, 1, orientation)
		}
		return out
	case *image.RGBA:
		out := image.NewRGBA(shown)
		turnPixels(out.Pix, m.Pix, size, 4, orientation)
		return out
	}
	return m
}

// turnPixels copies the pixels of a picture as they are shown. It steps through the stored picture
// from the corner that is shown at the top left.
func turnPixels(to, from []byte, size image.Point, channels, orientation int) {
	w, h := size.X, size.Y
	right, down := 1, w // to the next pixel of a shown row, and to the next row
	start := [...]int{0, w - 1, w*h - 1, w * (h - 1), 0, w * (h - 1), w*h - 1, w - 1}[orientation-1]
	if start%w > 0 {
		right = -1
	}
	if start >= w {
		down = -w
	}
	if orientation > 4 {
		right, down, w, h = down, right, h, w
	}
	for y := range h {
		at := start + y*down
		for x := range w {
			i := (at + x*right) * channels
			copy(to[(y*w+x)*channels:], from[i:i+channels])
		}
	}
}
