package auth

import (
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// Refusal says why a request with a header Authorization is refused. It never
// holds anything of the token.
type Refusal struct {
	Reason  string // one of those below, for counting
	Message string // one human sentence, without a capital
}

func (r *Refusal) Error() string { return r.Message }

// Unavailable tells that the token could not be verified now: it may be valid.
func (r *Refusal) Unavailable() bool { return r.Reason == noKeys }

func refuse(reason, format string, args ...any) *Refusal {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}

// The reasons for refusals.
const (
	noAuthentication = "no_authentication"
	malformed        = "malformed"
	tooLong          = "too_long"
	algorithm        = "algorithm"
	unknownKey       = "unknown_key"
	noKeys           = "no_keys"
	signature        = "signature"
	expired          = "expired"
	notYet           = "not_yet_valid"
	issuer           = "issuer"
	audience         = "audience"
	badSubject       = "subject"
)

// What a key is not found for.
var (
	errUnknownKey = errors.New("the key is not in the key set")
	errNoKeys     = errors.New("no key set was read yet")
	errCritical   = errors.New("the token has critical extensions")
)

// refusalOf returns the refusal for an error of the parser. The first that fits
// decides: the parser reports a bad signature before it looks at claims.
func refusalOf(err error) *Refusal {
	for _, r := range []struct {
		is error
		*Refusal
	}{
		{errNoKeys, refuse(noKeys, "the keys that verify tokens could not be read yet, try again")},
		{errUnknownKey, refuse(unknownKey, "the token names a key that is not known")},
		{errCritical, refuse(malformed, "the token wants extensions that are not supported")},
		{jwt.ErrTokenMalformed, refuse(malformed, "this is not a JSON Web Token")},
		{jwt.ErrTokenUnverifiable, refuse(algorithm, "the token's algorithm is not accepted here")},
		{jwt.ErrTokenSignatureInvalid, refuse(signature, "the token's signature does not fit, or its algorithm is not accepted here")},
		{jwt.ErrTokenExpired, refuse(expired, "the token has expired")},
		{jwt.ErrTokenNotValidYet, refuse(notYet, "the token is not valid yet")},
		{jwt.ErrTokenRequiredClaimMissing, refuse(expired, "the token lacks a claim: it needs exp, and iss where an issuer is configured")},
		{jwt.ErrTokenInvalidIssuer, refuse(issuer, "the token is of another issuer")},
	} {
		if errors.Is(err, r.is) {
			return r.Refusal
		}
	}
	return refuse(malformed, "the token is not valid")
}
