// Package cursor encodes a position in a list as the opaque token that clients page with, and
// decodes it.
//
// All partitions of a filter share the order of GSISK, so one position replaces the
// LastEvaluatedKeys of all of them (part 3 of the series keeps a map with one key a partition):
// key.Partition's StartKey derives each. The position is the last item's, so the token does not
// grow with the number of partitions and serves both directions.
//
// A token is, in base64url:
//
//	1 byte    version
//	AES-SIV (RFC 5297) of:
//	  6 bytes   fingerprint of the list: its kind, its product and filter
//	  8 bytes   of a comment: creation time, nanoseconds since 1970
//	            of a rank in a leaderboard: number of comments rated 5, or score
//	            of a page of comments by its number: comments before it
//	  n bytes   of a comment: its id, at most 64
//	            of a rank: product id, at most 128
//	            of a page: 1 byte, its length
//	            of a comment in a list by value or by rating, before its id:
//	              1 byte   range
//	              2 bytes  size of the value
//	              n bytes  value, at most 800
//
// A list with another order has positions of another type, and needs only another Kind.
//
// AES-SIV is deterministic: the same position of the same list is the same token byte for byte, so
// responses can be cached. It is authenticated: forged tokens are refused.
//
// The token has no mask of exhausted partitions, although that would save half a read unit for
// each of them: an edited rating may move a comment into such a partition between two pages, and
// the list would miss it.
package cursor

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"product-comments/store/key/sealed"
)

const (
	version         = 1
	fingerprintSize = 6
	numberSize      = 8
	// MaxLength is the maximum length of a comment's token, for comment ids of at most 64
	// bytes.
	MaxLength = 130
	// MaxRankLength is the maximum length of a rank's token, for product ids of at most 128
	// bytes.
	MaxRankLength = 220
	// MaxOrderedLength is the maximum length of a comment's token in a list by value, for
	// values of at most 800 bytes. Tokens of other kinds are shorter.
	MaxOrderedLength = 1204
)

// The errors of refused tokens.
var (
	ErrDamaged   = errors.New("it is damaged or was not issued by this service")
	ErrOtherList = errors.New("it belongs to another product, filter or list, or the order of the list has been redefined")
)

var encoding = base64.RawURLEncoding.Strict()

// Codec seals with the first of its keys and opens with any. It is safe for
// concurrent use.
type Codec struct {
	keys *sealed.Keys
}

// MinSecret is the minimum size of a secret in bytes.
const MinSecret = sealed.MinSecret

// New returns a codec for secrets of at least MinSecret bytes each. To rotate, put the new
// secret first and keep the old one until its tokens are no longer in use.
func New(secrets ...[]byte) (*Codec, error) {
	keys, err := sealed.New("cursor", secrets...)
	return &Codec{keys}, err
}

// seal makes a token.
func (c *Codec) seal(list [fingerprintSize]byte, number uint64, id string) (string, error) {
	plain := make([]byte, 0, fingerprintSize+numberSize+len(id))
	plain = append(plain, list[:]...)
	plain = binary.BigEndian.AppendUint64(plain, number)
	plain = append(plain, id...)
	token, err := c.keys.Seal(plain, []byte{version})
	if err != nil {
		return "", fmt.Errorf("seal cursor: %w", err)
	}
	return encoding.EncodeToString(append([]byte{version}, token...)), nil
}

// unseal opens a token of this list. It returns ErrOtherList for a valid token of any
// other list.
func (c *Codec) unseal(list [fingerprintSize]byte, token string) (number uint64, id string, err error) {
	if len(token) > MaxOrderedLength || strings.ContainsAny(token, "\r\n") { // the decoder would ignore line ends
		return 0, "", ErrDamaged
	}
	raw, err := encoding.DecodeString(token)
	if err != nil || len(raw) == 0 || raw[0] != version {
		return 0, "", ErrDamaged
	}
	plain, err := c.keys.Open(raw[1:], []byte{version})
	if err != nil || len(plain) <= fingerprintSize+numberSize {
		return 0, "", ErrDamaged
	}
	if !bytes.Equal(plain[:fingerprintSize], list[:]) {
		return 0, "", ErrOtherList
	}
	plain = plain[fingerprintSize:]
	return binary.BigEndian.Uint64(plain), string(plain[numberSize:]), nil
}
