package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// Caching configures how answers may be cached: by browsers and caches between
// them and this process, and in this process.
type Caching struct {
	// MaxAge is how long an answer may be given again, in whole seconds. Below
	// one second nothing is cached anywhere.
	MaxAge time.Duration
	// Responses bounds the bytes of the answers that are cached in this process;
	// with 0 none is.
	Responses int64
}

const notStored = "no-store"

// varies are the request's headers that an answer depends on. Accept-Encoding and
// Origin are added to them where they are read. Authorization and Cookie are
// among them because a cache that holds a public answer must never give it to a
// client that sends credentials.
const varies = "Accept, Authorization, Cookie"

// noStore makes no-store the default; an answer that caches may keep
// overwrites it. The default is not no-cache, which lets caches keep an answer and
// ask whether it still holds: that needs an ETag, which these answers lack, and
// answers to requests with credentials must not lie in caches.
func noStore(w http.ResponseWriter, r *http.Request, next http.Handler) {
	h := w.Header()
	h.Set("Cache-Control", notStored)
	h.Add("Vary", varies)
	next.ServeHTTP(w, r)
}

// public is the Cache-Control of answers that caches may share; "" if nothing may
// be cached. When an answer has reached the age, a cache may still give it for as
// long again while it fetches the next, so no answer is older than twice the age.
func (c Caching) public() string {
	seconds := int64(c.MaxAge / time.Second)
	if seconds <= 0 {
		return ""
	}
	return fmt.Sprintf("public, max-age=%d, stale-while-revalidate=%d", seconds, seconds)
}

// anonymous reports whether a request has no credentials.
func anonymous(r *http.Request) bool {
	return len(r.Header["Authorization"]) == 0 && len(r.Header["Cookie"]) == 0
}

// entityTag makes the ETag of an answer. It is weak (RFC 9110 section 8.8.1):
// answers with the same data have the same tag, whatever their cost in extensions
// and however they are compressed.
func entityTag(mediaType string, data []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, mediaType+"\n") // writing to a hash cannot fail
	_, _ = h.Write(data)
	return `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16]) + `"`
}

// notModified reports whether the header If-None-Match names this ETag. The header
// is a list of tags, on one line or several, or * for any (RFC 9110 section
// 13.1.2). The comparison is weak: it ignores W/. Malformed text matches nothing.
func notModified(ifNoneMatch []string, etag string) bool {
	for _, rest := range ifNoneMatch {
		if strings.Trim(rest, " \t") == "*" {
			return true
		}
		for {
			var tag string
			if tag, rest = nextTag(rest); tag == "" {
				break
			}
			if tag == strings.TrimPrefix(etag, "W/") {
				return true
			}
		}
	}
	return false
}

// nextTag cuts the next entity tag from a list, without its W/; it is "" if there
// is none. A tag may contain a comma between its quotes, so the list cannot simply
// be split.
func nextTag(list string) (tag, rest string) {
	list = strings.TrimPrefix(strings.TrimLeft(list, " \t,"), "W/")
	if !strings.HasPrefix(list, `"`) {
		return "", ""
	}
	end := strings.IndexByte(list[1:], '"')
	if end < 0 {
		return "", ""
	}
	return list[:end+2], list[end+2:]
}

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
