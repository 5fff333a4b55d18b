package photos

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// field is the name of an upload in errors.
const field = "photo"

// DefaultMemory is for a picture of 50 megapixels as cameras save it, or one of twelve in any other
// way but progressive without subsampling.
const DefaultMemory = 150 << 20

const (
	patience = 10 * time.Second // of a picture that waits for memory
	// longestWork stops a picture that is made to take long, such as a JPEG of thousands of scans.
	longestWork = 5 * time.Second
	quality     = 82 // of renditions
)

var errLong = errs.Invalid(field, "it takes too long to open: save it as JPEG once more, or smaller").For(errs.OutOfRange)

// Reader makes photos of uploads within a budget of memory and processors. It is safe for
// concurrent use.
type Reader struct {
	memory, least int64
	budget        *semaphore.Weighted
}

// NewReader returns a reader that takes at most so many bytes for pictures under way, apart from
// uploads themselves, and half of the processors.
func NewReader(memory int64) *Reader {
	return &Reader{memory, memory / int64(max(runtime.GOMAXPROCS(0)/2, 1)), semaphore.NewWeighted(memory)}
}

// Read reads the bytes of an upload and makes its renditions. It refuses what it cannot show with a BadUserInput
// error about the field photo; if too many pictures are under way, the error is Unavailable.
func (r *Reader) Read(ctx context.Context, data []byte) (p Picture, err error) {
	if len(data) > MaxBytes {
		return p, errs.Invalid(field, "it has more than %d MB: save it smaller", MaxBytes>>20).
			For(errs.OutOfRange).Past(len(data), MaxBytes)
	}
	h, err := readHeader(data)
	if err != nil {
		return p, err
	}
	if int64(h.memory) > r.memory {
		return p, errs.Invalid(field, "it takes %d MB of memory to open, the limit is %d: save it smaller, or as a JPEG that is not progressive",
			h.memory>>20, r.memory>>20).For(errs.OutOfRange)
	}
	weight := max(int64(h.memory), r.least)
	if err := r.enter(ctx, weight); err != nil {
		return p, err
	}
	defer r.budget.Release(weight)
	begun := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, longestWork, errLong)
	defer cancel()
	p, err = h.picture(ctx, data)
	p.Busy = time.Since(begun)
	return p, err
}

func (r *Reader) enter(ctx context.Context, weight int64) error {
	waits, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.budget.Acquire(waits, weight); err != nil {
		busy := errs.Wrap(errs.Unavailable, err, "the server reads many other photos now, try again")
		busy.RetryAfter = patience / 2
		return busy
	}
	return nil
}

// picture decodes an upload.
func (h header) picture(ctx context.Context, data []byte) (p Picture, err error) {
	m, err := h.decode(untilDone{ctx, bytes.NewReader(data)})
	if ctx.Err() != nil {
		return p, context.Cause(ctx)
	}
	if err != nil || m.Bounds().Size() != image.Pt(h.width, h.height) {
		return p, damaged()
	}
	return render(m, h.shown(), h.orientation)
}

// Render returns the photo of an image that a program has drawn.
func Render(m image.Image) (Picture, error) { return render(m, m.Bounds().Size(), 1) }

// render makes the renditions of an image that is shown in a size after it is turned.
func render(m image.Image, shown image.Point, orientation int) (p Picture, err error) {
	names := photo.Renditions(shown.X)
	p.ID, p.Renditions = photo.NewID(), make([]Rendition, len(names))
	for i := len(names) - 1; i >= 0; i-- { // each of the next greater one
		size := fit(shown, names[i])
		if p.Width == 0 {
			p.Width, p.Height = size.X, size.Y
			if orientation > 4 {
				size = image.Pt(size.Y, size.X)
			}
			m = turn(shrink(m, size.X, size.Y), orientation)
		} else {
			m = shrink(m, size.X, size.Y)
		}
		var out bytes.Buffer
		if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: quality}); err != nil {
			return p, fmt.Errorf("encode a photo: %w", err)
		}
		p.Renditions[i] = Rendition{names[i], out.Bytes()}
	}
	p.Placeholder = placeholder(m)
	return p, nil
}

// fit returns the size of a picture that is at most so many pixels wide.
func fit(size image.Point, width int) image.Point {
	if size.X <= width {
		return size
	}
	return image.Pt(width, max((size.Y*width+size.X/2)/size.X, 1))
}

// untilDone is a reader that fails when a context is done: decoders take no context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
