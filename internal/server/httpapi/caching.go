package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

const notStored = "no-store"

// varies are the request headers that an answer depends on. The handlers that read Accept-Encoding
// and Origin add these. Authorization and Cookie are included so that a cache never gives a public
// answer to a client that sends credentials.
const varies = "Accept, Authorization, Cookie"

// noStore makes no-store the default; a cacheable answer overwrites it. The default is not
// no-cache, which lets caches store an answer and revalidate it: that needs an ETag, which these
// answers lack, and answers to requests with credentials must not be stored.
func noStore(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	h := w.Header()
	h.Set("Cache-Control", notStored)
	h.Add("Vary", varies)
	next.ServeHTTP(w, r)
	return nil
}

// public returns the Cache-Control of answers that shared caches may store for some time; empty for
// less than a second, as nothing may be cached then. An expired answer may be served for the same time again while the cache revalidates
// it, so no answer is older than twice the age.
func public(maxAge time.Duration) string {
	seconds := int64(maxAge / time.Second)
	if seconds <= 0 {
		return ""
	}
	return fmt.Sprintf("public, max-age=%d, stale-while-revalidate=%d", seconds, seconds)
}

// anonymous reports whether a request has no credentials.
func anonymous(r *http.Request) bool {
	return len(r.Header["Authorization"]) == 0 && len(r.Header["Cookie"]) == 0
}

// entityTag returns the ETag of an answer. The tag is weak (RFC 9110 section 8.8.1): it depends on
// the data only, not on the cost in extensions or the compression.
func entityTag(mediaType string, data []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, mediaType+"\n") // writing to a hash cannot fail
	_, _ = h.Write(data)
	return `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16]) + `"`
}

// compressed compresses answers with gzip, or with zstd for clients that prefer it or accept
// nothing else. Most clients that accept both have no preference, and some that claim zstd abort
// when they get it.
var compressed = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.PreferZstd(false))
	if err != nil { // the options are constants
		panic(err)
	}
	return wrap
}()

// compress is the step that compresses answers.
func compress(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	compressed(next).ServeHTTP(w, r)
	return nil
}
