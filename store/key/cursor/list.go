package cursor

import (
	"crypto/sha256"

	"product-comments/store/key"
)

// List encodes and decodes the tokens of one list. It is safe for concurrent use.
type List[P key.Place] struct {
	codec       *Codec
	kind        Kind[P]
	fingerprint [fingerprintSize]byte
}

// ListOf returns the list of a kind and a scope, such as a product with a filter, or a
// language.
func ListOf[P key.Place](c *Codec, kind Kind[P], scope string) List[P] {
	sum := sha256.Sum256([]byte(kind.lists + scope))
	return List[P]{codec: c, kind: kind, fingerprint: [fingerprintSize]byte(sum[:fingerprintSize])}
}

// Encode returns the token of a position.
func (l List[P]) Encode(at P) (string, error) {
	number, id := l.kind.split(at)
	return l.codec.seal(l.fingerprint, number, id)
}

// Decode is the inverse of Encode. It returns ErrDamaged for anything that is not a token of
// the codec's keys, and ErrOtherList for a token of another list.
func (l List[P]) Decode(token string) (at P, err error) {
	number, id, err := l.codec.unseal(l.fingerprint, token)
	if err != nil {
		return at, err
	}
	return l.kind.join(number, id), nil
}
