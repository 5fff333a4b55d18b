// Package cursor turns a position in a list into the opaque token that clients
// page with, and back.
//
// Because all partitions of a filter share the order of GSISK, one position
// stands for the combined LastEvaluatedKeys of all of them (part 3 of the
// series keeps a map with one key a partition): key.Position.StartKey gives
// each partition's. The position is that of the last item shown, so the token
// does not grow with the number of partitions and serves both directions.
//
// A token is, in base64url:
//
//	1 byte    version
//	AES-SIV (RFC 5297) of:
//	  6 bytes   fingerprint of the list: what it pages through, its product and filter
//	  8 bytes   of a comment: creation time, nanoseconds since 1970
//	            of a rank in a leaderboard: number of comments rated 5
//	  n bytes   of a comment: its id, at most 64
//	            of a rank: product id, at most 128
//
// Nothing but the fingerprint tells the two kinds apart, so no list of one may
// have the scope of a list of the other.
//
// AES-SIV is deterministic: the same position of the same list is the same
// token byte for byte, so responses can be cached. It is authenticated: a
// token that we did not make is refused.
//
// There is no mask of exhausted partitions in it, although that would save half
// a read unit for each of them: a comment whose rating is edited while
// somebody pages may move into such a partition, and would be left out.
package cursor

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tink-crypto/tink-go/v2/daead/subtle"

	"product-comments/store/key"
)

const (
	version         = 1
	fingerprintSize = 6
	numberSize      = 8
	// MaxLength is the most characters a comment's token has, for comment ids
	// of at most 64 bytes.
	MaxLength = 130
	// MaxRankLength is the most characters a rank's token has, for product ids
	// of at most 128 bytes.
	MaxRankLength = 220
)

// The ways in which a token is refused.
var (
	ErrDamaged   = errors.New("it is damaged, or was not made by this service")
	ErrOtherList = errors.New("it belongs to another product, filter or list")
)

var encoding = base64.RawURLEncoding.Strict()

// Codec seals with the first of its keys and opens with any. It is safe for
// concurrent use.
type Codec struct {
	keys []*subtle.AESSIV
}

// New returns a codec for secrets of at least MinSecret bytes each. Put a new
// secret first and keep the old one until its tokens are gone.
func New(secrets ...[]byte) (*Codec, error) {
	if len(secrets) == 0 {
		return nil, errors.New("no cursor key")
	}
	c := &Codec{}
	for i, secret := range secrets {
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("cursor key %d has %d bytes, it needs at least %d", i+1, len(secret), MinSecret)
		}
		k, err := hkdf.Key(sha256.New, secret, nil, "product-comments cursor", subtle.AESSIVKeySize)
		if err != nil {
			return nil, fmt.Errorf("derive cursor key: %w", err)
		}
		siv, err := subtle.NewAESSIV(k)
		if err != nil {
			return nil, fmt.Errorf("cursor key: %w", err)
		}
		c.keys = append(c.keys, siv)
	}
	return c, nil
}

func fingerprint(scope string) [fingerprintSize]byte {
	sum := sha256.Sum256([]byte(scope))
	return [fingerprintSize]byte(sum[:fingerprintSize])
}

// Encode returns the token of a comment's position in the list named by scope.
// Times must lie in 1678 to 2261.
func (c *Codec) Encode(scope string, p key.Position) (string, error) {
	return c.seal(scope, uint64(p.CreatedAt.UnixNano()), p.CommentID)
}

// EncodeRank returns the token of a rank in the leaderboard named by scope.
func (c *Codec) EncodeRank(scope string, r key.Rank) (string, error) {
	return c.seal(scope, uint64(r.FiveStars), r.ProductID)
}

// Decode is the inverse of Encode. It returns ErrDamaged for what is no token
// of these keys, and ErrOtherList for the token of another scope.
func (c *Codec) Decode(scope, token string) (key.Position, error) {
	number, id, err := c.unseal(scope, token)
	if err != nil {
		return key.Position{}, err
	}
	return key.Position{CreatedAt: time.Unix(0, int64(number)).UTC(), CommentID: id}, nil
}

// DecodeRank is the inverse of EncodeRank, with the errors of Decode.
func (c *Codec) DecodeRank(scope, token string) (key.Rank, error) {
	number, id, err := c.unseal(scope, token)
	if err != nil {
		return key.Rank{}, err
	}
	return key.Rank{FiveStars: int(number), ProductID: id}, nil
}

// seal makes the token of a place: a number, and the id that orders places
// with the same number.
func (c *Codec) seal(scope string, number uint64, id string) (string, error) {
	plain := make([]byte, 0, fingerprintSize+numberSize+len(id))
	sum := fingerprint(scope)
	plain = append(plain, sum[:]...)
	plain = binary.BigEndian.AppendUint64(plain, number)
	plain = append(plain, id...)
	sealed, err := c.keys[0].EncryptDeterministically(plain, []byte{version})
	if err != nil {
		return "", fmt.Errorf("seal cursor: %w", err)
	}
	return encoding.EncodeToString(append([]byte{version}, sealed...)), nil
}

// unseal takes a token of either kind: that of the other one is whole, and
// belongs to another list.
func (c *Codec) unseal(scope, token string) (number uint64, id string, err error) {
	if len(token) > MaxRankLength || strings.ContainsAny(token, "\r\n") { // which the decoder passes over
		return 0, "", ErrDamaged
	}
	raw, err := encoding.DecodeString(token)
	if err != nil || len(raw) == 0 || raw[0] != version {
		return 0, "", ErrDamaged
	}
	plain, ok := c.open(raw[1:])
	if !ok || len(plain) <= fingerprintSize+numberSize {
		return 0, "", ErrDamaged
	}
	if sum := fingerprint(scope); !bytes.Equal(plain[:fingerprintSize], sum[:]) {
		return 0, "", ErrOtherList
	}
	plain = plain[fingerprintSize:]
	return binary.BigEndian.Uint64(plain), string(plain[numberSize:]), nil
}

func (c *Codec) open(sealed []byte) ([]byte, bool) {
	for _, k := range c.keys {
		if plain, err := k.DecryptDeterministically(sealed, []byte{version}); err == nil {
			return plain, true
		}
	}
	return nil, false
}
