package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Caching says what others, and this process, may keep of the answers.
type Caching struct {
	// MaxAge is for how long an answer may be given again. It counts in whole
	// seconds; less than one means that nothing may be kept.
	MaxAge time.Duration
	// Responses is the most bytes that answers kept in this process take; 0 is
	// none of them.
	Responses int64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const noStore = "no-store"

// varies are the request's headers that an answer depends on, Accept-Encoding
// and Origin aside, which who looks at them adds. Credentials are among them
// although no answer depends on them yet: a cache that holds a public answer
// must never give it to somebody who has credentials.
const varies = "Accept, Authorization, Cookie"

// withoutStore forbids to keep anything; an answer that may be kept says so
// itself. It is no-store and not no-cache: these answers have no ETag, so
// nothing could be saved by asking for them again, and those to requests with
// credentials will be about one visitor.
func withoutStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", noStore)
		h.Add("Vary", varies)
		next.ServeHTTP(w, r)
	})
}

// public is the Cache-Control of answers that caches may share, "" if there are
// none. While a cache asks again it may give the old answer for as long once
// more, so that no answer is older than twice the age.
func (c Caching) public() string {
	seconds := int64(c.MaxAge / time.Second)
	if seconds <= 0 {
		return ""
	}
	return fmt.Sprintf("public, max-age=%d, stale-while-revalidate=%d", seconds, seconds)
}

// anonymous tells whether a request carries nothing that says who asks.
func anonymous(r *http.Request) bool {
	return len(r.Header["Authorization"]) == 0 && len(r.Header["Cookie"]) == 0
}

// entityTag makes the ETag of an answer. It is weak (RFC 9110 section 8.8.1):
// it stands for the data, whatever else is in the answer and however it is
// compressed.
func entityTag(mediaType string, data []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, mediaType+"\n") // a hash takes everything
	_, _ = h.Write(data)
	return `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16]) + `"`
}
