package auth

import (
	"crypto/sha256"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"product-comments/access"
	"product-comments/internal/cache"
)

// Limits of what is remembered of tokens: at most 4 MB, and no longer than a
// minute, so that a token which a new key set would refuse does not live on.
const (
	maxSeen   = 10_000
	seenBytes = 400 // of one, about
	seenTime  = time.Minute
)

// seen remembers tokens that were verified, by their digest: verifying a
// signature takes longer than all else that is done to a token.
type seen struct {
	tokens                  *lru.Cache[[sha256.Size]byte, verified]
	hits, misses, evictions atomic.Int64
}

type verified struct {
	viewer access.Viewer
	keys   *keySet // with which it was verified
	until  time.Time
}

func newSeen() *seen {
	tokens, err := lru.New[[sha256.Size]byte, verified](maxSeen)
	if err != nil {
		panic(err) // only for a size of zero, and it is a constant above
	}
	return &seen{tokens: tokens}
}

// get returns whose token it is, if it was verified with these keys a moment ago.
func (s *seen) get(token string, keys *keySet, now time.Time) (access.Viewer, bool) {
	v, ok := s.tokens.Get(sha256.Sum256([]byte(token)))
	if !ok || v.keys != keys || !now.Before(v.until) {
		s.misses.Add(1)
		return access.Viewer{}, false
	}
	s.hits.Add(1)
	return v.viewer, true
}

// add remembers a token, never past its expiry.
func (s *seen) add(token string, keys *keySet, viewer access.Viewer, now, expiry time.Time) {
	until := now.Add(seenTime)
	if expiry.Before(until) {
		until = expiry
	}
	if s.tokens.Add(sha256.Sum256([]byte(token)), verified{viewer, keys, until}) {
		s.evictions.Add(1)
	}
}

func (s *seen) stats() cache.Stats {
	n := s.tokens.Len()
	return cache.Stats{
		Hits: s.hits.Load(), Misses: s.misses.Load(), Evictions: s.evictions.Load(), Entries: n, Bytes: int64(n) * seenBytes,
	}
}
