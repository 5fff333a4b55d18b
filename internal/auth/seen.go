package auth

import (
	"crypto/sha256"
	"time"

	"product-comments/access"
	"product-comments/internal/cache"
)

// Limits of what is remembered of tokens: at most 4 MB, and no longer than a
// minute, so that a token which a new key set would refuse does not live on.
const (
	maxSeen   = 4 << 20 // bytes
	seenBytes = 150     // of one, about, besides what the cache needs for an entry
	seenTime  = time.Minute
)

// seenKey is the digest of a token that was verified, and the key set with which.
type seenKey struct {
	digest [sha256.Size]byte
	keys   *keySet
}

func seenAs(token string, keys *keySet) seenKey { return seenKey{sha256.Sum256([]byte(token)), keys} }

// newSeen remembers whose tokens are that were verified: verifying a signature takes
// longer than all else that is done to a token.
func newSeen(now func() time.Time) *cache.Cache[seenKey, access.Viewer] {
	return cache.New(cache.Options[seenKey, access.Viewer]{
		MaxBytes: maxSeen, Now: now, Size: func(seenKey, access.Viewer) int { return seenBytes },
	})
}
