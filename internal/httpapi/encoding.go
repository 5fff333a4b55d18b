package httpapi

import (
	"bytes"
	"iter"
	"mime"
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

// compress is the step that compresses answers.
func compress(w http.ResponseWriter, r *http.Request, next http.Handler) {
	compressed(next).ServeHTTP(w, r)
}

// acceptsGzip reports whether the header Accept-Encoding allows gzip (RFC 9110
// section 12.5.3), the only encoding in which answers are kept.
func acceptsGzip(acceptEncoding []string) bool {
	star := false
	for coding, weight := range weights(acceptEncoding) {
		switch coding {
		case "gzip":
			return weight > 0 && weight <= 1 // which counts more than *
		case "*":
			star = weight > 0 && weight <= 1
		}
	}
	return star
}

// weights yields what a header of the request accepts, in lower case, with its weight:
// 1 if it is missing, 0 if malformed.
func weights(header []string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for item := range strings.SplitSeq(strings.Join(header, ","), ",") {
			name, parameters, err := mime.ParseMediaType(item)
			weight := 1.0
			if q, ok := parameters["q"]; ok {
				weight, err = strconv.ParseFloat(q, 64)
			}
			if err != nil {
				weight = 0
			}
			if !yield(name, weight) {
				return
			}
		}
	}
}

// gzipped returns a body in gzip; nil if it is too small, or would not shrink.
func gzipped(body []byte) []byte {
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
