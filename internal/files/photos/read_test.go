package photos

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

func read(t testing.TB, data []byte) Picture {
	t.Helper()
	return testkit.Value(NewReader(DefaultMemory).Read(t.Context(), data))(t)
}

// pixels returns the decoded renditions.
func pixels(t testing.TB, p Picture) (all []image.Image) {
	t.Helper()
	for _, r := range p.Renditions {
		all = append(all, testkit.Value(jpeg.Decode(bytes.NewReader(r.JPEG)))(t))
	}
	return all
}

// near fails unless a pixel has about this colour.
func near(t testing.TB, m image.Image, x, y int, want color.Color) {
	t.Helper()
	r, g, b, _ := m.At(x, y).RGBA()
	wr, wg, wb, _ := want.RGBA()
	off := func(a, b uint32) bool { return max(a, b)-min(a, b) > 0x0c00 }
	if off(r, wr) || off(g, wg) || off(b, wb) {
		t.Errorf("%d,%d is %x %x %x, want %x %x %x", x, y, r>>8, g>>8, b>>8, wr>>8, wg>>8, wb>>8)
	}
}

// Renditions are as wide as they say, and never wider than the picture.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{2000, 1000, "160:160x80 480:480x240 1600:1600x800"},
		{1600, 1601, "160:160x160 480:480x480 1600:1600x1601"},
		{900, 1200, "160:160x213 480:480x640 1600:900x1200"},
		{480, 48, "160:160x16 480:480x48"},
		{161, 100, "160:160x99 480:161x100"},
		{160, 100, "160:160x100"},
		{1, 1, "160:1x1"},
		{1, 10, "160:1x10"},
	} {
		for name, data := range map[string][]byte{"JPEG": asJPEG(t, drawing(c.width, c.height)), "PNG": asPNG(t, drawing(c.width, c.height))} {
			p := read(t, data)
			var got []string
			all := pixels(t, p)
			for i, m := range all {
				size := m.Bounds().Size()
				got = append(got, fmt.Sprintf("%d:%dx%d", p.Renditions[i].Width, size.X, size.Y))
			}
			testkit.Equal(t, strings.Join(got, " "), c.want, "%s of %d×%d", name, c.width, c.height)
			testkit.Equal(t, image.Pt(p.Width, p.Height), all[len(all)-1].Bounds().Size(), "the size it says")
			testkit.Check(t, photo.Valid(p.ID), "id %q", p.ID)
		}
	}
}

// quarters are the colours of the quarters of drawing, and the places of red after each turn: as it
// is shown at the top left, top right, bottom left and bottom right.
var quarters = map[byte]color.Color{'R': color.RGBA{200, 20, 20, 255}, 'G': color.RGBA{20, 160, 20, 255},
	'B': color.RGBA{20, 20, 200, 255}, 'W': color.RGBA{240, 240, 240, 255}}

func TestTurns(t *testing.T) {
	m := drawing(600, 400)
	for i, want := range []string{"RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"} {
		orientation := i + 1
		size := image.Pt(600, 400)
		if orientation > 4 {
			size = image.Pt(400, 600)
		}
		for name, data := range map[string][]byte{
			"JPEG": withEXIF(asJPEG(t, m), orientation),
			"PNG":  withChunk(asPNG(t, m), "eXIf", exif(binary.LittleEndian, orientation)),
		} {
			p := read(t, data)
			all := pixels(t, p)
			shown := all[len(all)-1]
			testkit.Equal(t, shown.Bounds().Size(), size, "%s, turn %d", name, orientation)
			for _, shown := range all {
				size := shown.Bounds().Size()
				for at, c := range []byte(want) {
					near(t, shown, size.X/4+size.X/2*(at%2), size.Y/4+size.Y/2*(at/2), quarters[c])
				}
			}
		}
	}
	p := read(t, asWebP(20, 10, canvas(8, 20, 10), riffChunk("EXIF", exif(binary.LittleEndian, 6))))
	testkit.Equal(t, image.Pt(p.Width, p.Height), image.Pt(10, 20), "a turned WebP")
}

// All pixels, not the corners alone, are where a turn puts them.
func TestTurnOfEveryPixel(t *testing.T) {
	for _, size := range []image.Point{{5, 3}, {1, 4}, {4, 1}, {1, 1}} {
		from := image.NewRGBA(image.Rectangle{Max: size})
		for i := range from.Pix {
			from.Pix[i] = byte(i)
		}
		w, h := size.X, size.Y
		for orientation := 1; orientation <= 8; orientation++ {
			m := turn(from, orientation)
			for y := range m.Bounds().Dy() {
				for x := range m.Bounds().Dx() {
					at := []image.Point{{x, y}, {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
						{y, x}, {y, h - 1 - x}, {w - 1 - y, h - 1 - x}, {w - 1 - y, x}}[orientation-1]
					testkit.Equal(t, m.At(x, y), from.At(at.X, at.Y), "%v, turn %d: %d,%d", size, orientation, x, y)
				}
			}
		}
	}
}

// A pixel is the mean of what it covers.
func TestMeans(t *testing.T) {
	for _, c := range []struct {
		from string
		to   int
		want string
	}{
		{"\x00\x0a\x14\x1e", 2, "\x05\x19"},
		{"\x00\x1e\x3c", 2, "\x0a\x32"}, // a third of the middle one, twice
		{"\x00\x0a\x14", 1, "\x0a"},
		{"\x07\x09", 2, "\x07\x09"},
		{"\x00\x1e", 3, "\x00\x0f\x1e"},
		{"\xff\xff\xff\xff\xff", 3, "\xff\xff\xff"},
	} {
		n := len(c.from)
		across := means(image.Pt(n, 2), image.Pt(c.to, 1), 1, func(int) []byte { return []byte(c.from) })
		testkit.Equal(t, string(across), c.want, "%x across", c.from)
		down := means(image.Pt(2, n), image.Pt(1, c.to), 1, func(y int) []byte { return []byte{c.from[y], c.from[y]} })
		testkit.Equal(t, string(down), c.want, "%x down", c.from)
	}
}

// What a picture says besides its pixels is in no stored byte.
func TestMetadataAreGone(t *testing.T) {
	const html = "<script>alert(document.domain)</script>"
	camera := withEXIF(asJPEG(t, drawing(2000, 1500)), 3)
	camera = withSegment(camera, 0xfe, []byte(html))
	camera = append(camera, html+place...)
	lossless := withChunk(asPNG(t, drawing(700, 500)), "tEXt", []byte("Comment\x00"+html))
	lossless = withChunk(lossless, "eXIf", exif(binary.BigEndian, 3))
	for _, data := range [][]byte{camera, lossless, asWebP(300, 200, canvas(8, 300, 200), riffChunk("EXIF", exif(binary.LittleEndian, 1)), riffChunk("XMP ", []byte(html)))} {
		testkit.Need(t, bytes.Contains(data, []byte(place)) && bytes.Contains(data, []byte(html)), "the test's picture says nothing")
		for _, r := range read(t, data).Renditions {
			for _, gone := range []string{place, "Exif", html, "script"} {
				testkit.Check(t, !bytes.Contains(r.JPEG, []byte(gone)), "rendition %d has %q", r.Width, gone)
			}
			for rest := r.JPEG[2:]; rest[1] != 0xda; rest = rest[2+binary.BigEndian.Uint16(rest[2:]):] {
				testkit.Check(t, rest[1] < 0xe0, "rendition %d has a segment %x", r.Width, rest[1])
			}
		}
	}
}

// Colours come out as they are seen, on white.
func TestColours(t *testing.T) {
	deep, clear, grey := image.NewNRGBA64(image.Rect(0, 0, 200, 100)), image.NewNRGBA(image.Rect(0, 0, 200, 100)), image.NewGray(image.Rect(0, 0, 200, 100))
	palette := image.NewPaletted(image.Rect(0, 0, 200, 100), color.Palette{color.RGBA{200, 20, 20, 255}, color.Transparent})
	for y := range 100 {
		for x := range 200 {
			deep.SetNRGBA64(x, y, color.NRGBA64{0xc8ff, 0x1400, 0x14ff, 0xffff})
			clear.SetNRGBA(x, y, color.NRGBA{200, 20, 20, 0})
			if x >= 100 {
				clear.SetNRGBA(x, y, color.NRGBA{0, 0, 0, 128})
			}
			grey.SetGray(x, y, color.Gray{90})
			palette.SetColorIndex(x, y, uint8(x/100))
		}
	}
	red, white := color.RGBA{200, 20, 20, 255}, color.RGBA{255, 255, 255, 255}
	for name, c := range map[string]struct {
		data        []byte
		left, right color.Color
	}{
		"16 bits":             {asPNG(t, deep), red, red},
		"transparent":         {asPNG(t, clear), white, color.Gray{127}},
		"a palette":           {asPNG(t, palette), red, white},
		"grey, a PNG":         {asPNG(t, grey), color.Gray{90}, color.Gray{90}},
		"grey, a JPEG":        {asJPEG(t, grey), color.Gray{90}, color.Gray{90}},
		"a WebP":              {asWebP(200, 100), color.RGBA{20, 160, 200, 255}, color.RGBA{20, 160, 200, 255}},
		"CMYK":                {asCMYK([4]int{55, 235, 235, 255}), color.RGBA{55, 235, 235, 255}, color.RGBA{55, 235, 235, 255}}, // inverted, as Adobe does
		"CMYK, without light": {asCMYK([4]int{55, 235, 235, 0}), color.Gray{0}, color.Gray{0}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, m := range pixels(t, read(t, c.data)) {
				size := m.Bounds().Size()
				near(t, m, size.X/4, size.Y/2, c.left)
				near(t, m, size.X*3/4, size.Y/2, c.right)
			}
		})
	}
}

func TestPlaceholder(t *testing.T) {
	testkit.Equal(t, read(t, asPNG(t, drawing(400, 400))).Placeholder, "65165188d88d", "red and green above blue and white")
	black := read(t, asPNG(t, image.NewGray(image.Rect(0, 0, 3, 2))))
	testkit.Equal(t, black.Placeholder, "000000000000", "black")
}

func TestRefused(t *testing.T) {
	small, lossless := asJPEG(t, drawing(64, 48)), asPNG(t, drawing(64, 48))
	longer := func(data []byte, n int) []byte { return append(bytes.Clone(data), make([]byte, n)...) }
	progressive := bytes.Clone(small)
	at := bytes.Index(progressive, []byte{0xff, 0xc0, 0, 17, 8, 0, 48, 0, 64})
	frame := func(kind byte, height, width uint16) []byte {
		data := bytes.Clone(progressive)
		data[at+1] = kind
		binary.BigEndian.PutUint16(data[at+5:], height)
		binary.BigEndian.PutUint16(data[at+7:], width)
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "no JPEG, PNG or WebP"},
		{"a page", []byte("<!doctype html><script>alert(1)</script>"), "no JPEG, PNG or WebP"},
		{"an SVG", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "no JPEG, PNG or WebP"},
		{"a GIF", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "no JPEG, PNG or WebP"},
		{"other RIFF", []byte("RIFF\x10\x00\x00\x00WAVEfmt 1234"), "no JPEG, PNG or WebP"},
		{"a page that begins as a JPEG", []byte("\xff\xd8\xff\xe0<script>alert(1)</script>"), "damaged"},
		{"a JPEG's first half", small[:len(small)/2], "damaged"},
		{"a PNG's first half", lossless[:len(lossless)/2], "damaged"},
		{"a WebP's first half", asWebP(20, 20)[:24], "damaged"},
		{"a JPEG's first bytes", small[:3], "damaged"},
		{"a bomb of 1 MB and 2 gigapixels", longer(saying(lossless, 50_000, 40_000), 1<<20), "2000 megapixels, the limit is 50"},
		{"a product of sides that is 0 in 32 bits", saying(lossless, 1<<16, 1<<16), "4294 megapixels"},
		{"the longest sides", saying(lossless, 1<<31-1, 1<<31-1), "damaged"},
		{"a JPEG of 4 gigapixels", frame(0xc0, 65535, 65535), "4294 megapixels"},
		{"a header that says more than there is", saying(lossless, 5000, 5000), "damaged"},
		{"a header that says less than there is", saying(lossless, 32, 24), "damaged"},
		{"no width", saying(lossless, 0, 48), "damaged"}, // the decoder's own words
		{"no height", frame(0xc0, 0, 64), "no pixels"},
		{"a canvas that is smaller than its WebP", asWebP(9000, 9000, canvas(0, 1, 1)), "damaged"},
		{"a WebP of 268 megapixels", asWebP(16384, 16384), "268 megapixels"},
		{"a moving PNG", withChunk(lossless, "acTL", make([]byte, 8)), "it moves"},
		{"a moving WebP", asWebP(20, 20, canvas(2, 20, 20), riffChunk("ANIM", make([]byte, 6))), "it moves"},
		{"a strip", asPNG(t, image.NewGray(image.Rect(0, 0, 1001, 100))), "crop it"},
		{"a progressive JPEG of 12 megapixels", frame(0xc2, 7000, 7000), "MB of memory"},
		{"11 MB", longer(small, MaxBytes), "more than 10 MB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewReader(DefaultMemory).Read(t.Context(), c.data)
			var e *errs.Error
			if !errors.As(err, &e) || e.Code != errs.BadUserInput || e.Field != field || e.Reason == "" {
				t.Fatalf("got %#v", err)
			}
			testkit.Fails(t, err, c.want)
		})
	}
}

// A bomb is refused by its header: no memory is taken for its pixels.
func TestBombsTakeNoMemory(t *testing.T) {
	bomb := append(saying(asPNG(t, drawing(64, 48)), 50_000, 40_000), make([]byte, 1<<20)...)
	r := NewReader(DefaultMemory)
	got := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			_, _ = r.Read(b.Context(), bomb)
		}
	})
	testkit.Check(t, got.AllocedBytesPerOp() < 8<<20, "a bomb took %d bytes", got.AllocedBytesPerOp())
}

// A picture waits for memory that others have, for a time.
func TestWaitsForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewReader(1 << 20)
		data := asPNG(t, drawing(64, 48))
		testkit.Must(t, r.budget.Acquire(t.Context(), 1<<20))
		_, err := r.Read(t.Context(), data)
		var e *errs.Error
		testkit.Check(t, errors.As(err, &e) && e.Code == errs.Unavailable && e.RetryAfter > 0, "busy: %v", err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = r.Read(ctx, data)
		testkit.Check(t, errors.Is(err, context.Canceled), "a client that left: %v", err)
		done := make(chan error)
		go func() { done <- testkit.Err(r.Read(t.Context(), data)) }()
		synctest.Wait()
		r.budget.Release(1 << 20)
		testkit.Must(t, <-done)
		testkit.Check(t, r.budget.TryAcquire(1<<20), "a picture that was read still has memory")
		r.budget.Release(1 << 20)
		_, _ = r.Read(t.Context(), data[:100])
		testkit.Check(t, r.budget.TryAcquire(1<<20), "a refused picture still has memory")
	})
}

// A JPEG of very many scans is stopped: each costs a pass over the picture, and few bytes.
func TestLongWorkIsStopped(t *testing.T) {
	data := asJPEG(t, scene(800, 600))
	h := testkit.Value(readHeader(data))(t)
	late, cancel := context.WithTimeoutCause(t.Context(), 0, errLong)
	defer cancel()
	_, err := h.picture(late, data)
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "late: %v", err)
	testkit.Fails(t, err, "too long")
	whole := h
	whole.decode = func(r io.Reader) (image.Image, error) {
		n, err := io.Copy(io.Discard, r)
		testkit.Check(t, n == 0 && errors.Is(err, context.DeadlineExceeded), "a decoder reads %d bytes more, then %v", n, err)
		return nil, err
	}
	_, _ = whole.picture(late, data)
	left, leave := context.WithCancel(t.Context())
	leave()
	_, err = h.picture(left, data)
	testkit.Check(t, errors.Is(err, context.Canceled), "a client that left: %v", err)
}

func FuzzRead(f *testing.F) {
	for _, seed := range [][]byte{withEXIF(asJPEG(f, drawing(40, 30)), 6), asPNG(f, drawing(40, 30)), asCMYK([4]int{1, 2, 3, 4}),
		asWebP(40, 30, canvas(8, 40, 30), riffChunk("EXIF", exif(binary.LittleEndian, 6)))} {
		f.Add(seed)
	}
	r := NewReader(64 << 20)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := r.Read(t.Context(), data)
		var e *errs.Error
		switch {
		case errors.As(err, &e) && e.Code == errs.BadUserInput && e.Field == field:
			return
		case err != nil:
			t.Fatal(err)
		}
		for i, m := range pixels(t, p) {
			testkit.Check(t, m.Bounds().Dx() <= p.Renditions[i].Width, "a rendition is too wide")
		}
		testkit.Check(t, len(p.Placeholder) == 3*bands, "placeholder %q", p.Placeholder)
	})
}
