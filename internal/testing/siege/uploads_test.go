//go:build linux

package siege

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// An upload of ten megabytes takes its bytes once, and at most a quarter of --memory for its pixels.
func TestUploadsAreBounded(t *testing.T) {
	costly(t, "the memory of costly uploads")
	random := rand.New(rand.NewPCG(1, 2))
	// The upper part is noise, as much as an upload may have bytes.
	m, shot := image.NewRGBA(image.Rect(0, 0, 4032, 3024)), image.NewYCbCr(image.Rect(0, 0, 4032, 3024), image.YCbCrSubsampleRatio420)
	for i := range m.Pix {
		if m.Pix[i] = 255; i%4 < 3 && i < 4*3_200_000 {
			m.Pix[i] = byte(random.Uint32())
		}
	}
	for i := range shot.Y {
		shot.Y[i] = byte(random.Uint32() % 150)
	}
	var drawn, taken bytes.Buffer
	testkit.Must(t, png.Encode(&drawn, m))
	testkit.Must(t, jpeg.Encode(&taken, shot, &jpeg.Options{Quality: 75}))
	for _, a := range []struct {
		name, kind, encoding string
		body                 []byte
		status               int
	}{
		{"a PNG of 12 megapixels", "image/png", "", drawn.Bytes(), 201},
		{"the same without its size", "image/png", "chunked", drawn.Bytes(), 201},
		{"a JPEG of 12 megapixels", "image/jpeg", "", taken.Bytes(), 201},
		{"a PNG without pixels", "image/png", "", append(bytes.Clone(drawn.Bytes()[:60]), make([]byte, 10<<20-60)...), 400},
	} {
		s := begin(t) // memory that another upload has left would hide what this one takes
		token := strings.TrimSpace(testkit.Value(s.command(nil, "token", "--subject=alice"))(t))
		upload := request{"POST", "/photos", a.body, nil}.with("Content-Type", a.kind).with("Transfer-Encoding", a.encoding).with("Authorization", "Bearer "+token)
		got, spent, err := s.measured(t, attack{request: upload})
		testkit.Must(t, err)
		t.Logf("%s: sent %d KB; %d; processor %v, memory +%d MB; %.120s", a.name, len(a.body)>>10, got.status, spent.Processor, spent.Bytes>>20, got.says())
		testkit.Equal(t, got.status, a.status, a.name)
		testkit.Check(t, spent.Bytes <= 70<<20, "%s took %d MB", a.name, spent.Bytes>>20)
	}
}
