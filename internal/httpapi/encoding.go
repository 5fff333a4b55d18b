package httpapi

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// compressed compresses answers in gzip, or in zstd for clients that prefer it or
// accept nothing else. Most clients that accept both do not care, and some that say
// that they accept zstd break off when they get it.
var compressed = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.PreferZstd(false))
	if err != nil { // the options are constants
		panic(err)
	}
	return wrap
}()

// acceptsGzip reports whether the header Accept-Encoding allows gzip (RFC 9110
// section 12.5.3), the only encoding in which answers are kept.
func acceptsGzip(acceptEncoding []string) bool {
	star := false
	for _, line := range acceptEncoding {
		for part := range strings.SplitSeq(line, ",") {
			coding, parameters, _ := strings.Cut(part, ";")
			coding = strings.TrimSpace(coding)
			switch {
			case strings.EqualFold(coding, "gzip"):
				return weight(parameters) > 0 // which counts more than *
			case coding == "*":
				star = weight(parameters) > 0
			}
		}
	}
	return star
}

// weight reads the parameter q of a coding: 1 if it is missing, 0 if malformed.
func weight(parameters string) float64 {
	name, value, _ := strings.Cut(parameters, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

// compress returns a body in gzip; nil if it is too small, or would not shrink.
func compress(body []byte) []byte {
	if len(body) < gzhttp.DefaultMinSize {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		return nil
	}
	if err := z.Close(); err != nil || b.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(b.Bytes()) // which has no spare capacity, unlike the buffer
}
