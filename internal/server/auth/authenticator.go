package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"product-comments/access"
	"product-comments/store/read/cache"
)

// Limits of tokens; keyset.go has the limits of key sets.
const (
	maxToken = 8 << 10          // bytes; checked before anything is decoded
	leeway   = 30 * time.Second // tolerated difference from the issuer's clock
)

// Config configures which tokens are accepted and how their claims are read.
type Config struct {
	Secrets   [][]byte // that verify HS256; none if empty
	Keys      *Keys    // that verify RS256, ES256 and EdDSA; nil for none
	Issuer    string   // whose tokens are accepted; any if empty
	Audiences []string // one of which a token must be for; any if empty
	Roles     Roles
	Now       func() time.Time // the clock; time.Now if nil
}

// Authenticator verifies tokens. It is safe for concurrent use. A nil Authenticator accepts no
// token, for a server without authentication.
type Authenticator struct {
	c      Config
	parser *jwt.Parser
	seen   *cache.Cache[seenKey, access.Viewer]
}

// New returns an authenticator.
func New(c Config) *Authenticator {
	if c.Now == nil {
		c.Now = time.Now
	}
	var methods []string
	if len(c.Secrets) > 0 {
		methods = append(methods, jwt.SigningMethodHS256.Alg())
	}
	if c.Keys != nil {
		methods = append(methods, keySetAlgorithms...)
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods(methods), jwt.WithStrictDecoding(),
		jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(c.Now),
	}
	if c.Issuer != "" {
		options = append(options, jwt.WithIssuer(c.Issuer))
	}
	// Verifying a signature takes longer than all other steps together.
	seen := cache.New(cache.Options[seenKey, access.Viewer]{
		MaxBytes: maxSeen, Now: c.Now, Size: func(seenKey, access.Viewer) int { return seenBytes },
	})
	return &Authenticator{c: c, parser: jwt.NewParser(options...), seen: seen}
}

// Cached returns the statistics of the cache of verified tokens.
func (a *Authenticator) Cached() cache.Stats {
	if a == nil {
		return cache.Stats{}
	}
	return a.seen.Stats()
}

// KeysAge returns a function that returns the age of the published keys; nil if none are
// configured.
func (a *Authenticator) KeysAge() func() time.Duration {
	if a == nil || a.c.Keys == nil {
		return nil
	}
	return a.c.Keys.age
}

// Viewer returns the viewer of a request with these values of the Authorization header: an
// anonymous visitor without any. The error is a *Refusal unless they are one valid token.
func (a *Authenticator) Viewer(ctx context.Context, authorization []string) (access.Viewer, error) {
	switch {
	case len(authorization) == 0:
		return access.Viewer{}, nil
	case a == nil:
		return access.Viewer{}, refuse(noAuthentication, "authentication is not configured, so the token cannot be verified: send the request without a token")
	case len(authorization) > 1:
		return access.Viewer{}, refuse(malformed, "the request has %d Authorization headers: send one", len(authorization))
	}
	scheme, token, _ := strings.Cut(authorization[0], " ")
	token = strings.TrimLeft(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		return access.Viewer{}, refuse(malformed, "the Authorization header must have the form: Bearer <token>")
	case len(token) > maxToken:
		return access.Viewer{}, refuse(tooLong, "the token has %d bytes, the limit is %d", len(token), maxToken)
	}
	now := a.c.Now()
	if v, ok := a.seen.Get(seenAs(token, a.c.Keys.current())); ok {
		return v, nil
	}
	claims, keys, err := a.verify(ctx, token)
	if err != nil {
		return access.Viewer{}, err
	}
	v, err := a.read(claims)
	if err != nil {
		return access.Viewer{}, err
	}
	if expiry, err := claims.GetExpirationTime(); err == nil {
		until := now.Add(seenTime)
		if expiry.Before(until) {
			until = expiry.Time
		}
		a.seen.Set(seenAs(token, keys), v, until)
	}
	return v, nil
}

// verify returns the claims of a token with a valid signature, validity period and issuer, and the
// key set that verified it.
func (a *Authenticator) verify(ctx context.Context, token string) (jwt.MapClaims, *keySet, error) {
	for try := 1; ; try++ {
		claims, keys := jwt.MapClaims{}, a.c.Keys.current()
		_, err := a.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) { return a.keyOf(t, keys) })
		switch {
		case err == nil && !isStrictJSON(token):
			return nil, nil, refuse(malformed, "the token's claims must be unique and in valid Unicode")
		case err == nil:
			return claims, keys, nil
		}
		// Keys are rotated, and a token with a new key may arrive before the set was read again.
		if try == 1 && errors.Is(err, errUnknownKey) && a.c.Keys.renew(ctx, keys) {
			continue
		}
		return nil, nil, refusalOf(err)
	}
}

// isStrictJSON reports whether the claims of a token are unambiguous JSON: the parser decodes all
// unpaired surrogates to the same character.
func isStrictJSON(token string) bool {
	_, claims, _ := strings.Cut(token, ".")
	claims, _, _ = strings.Cut(claims, ".")
	text, err := base64.RawURLEncoding.DecodeString(claims)
	return err == nil && jsontext.Value(text).IsValid()
}

// keyOf returns the keys that may have signed a token.
func (a *Authenticator) keyOf(t *jwt.Token, keys *keySet) (any, error) {
	if t.Header["crit"] != nil { // critical extensions (RFC 7515, section 4.1.11), none of which is supported
		return nil, errCritical
	}
	if t.Method == jwt.SigningMethodHS256 {
		set := jwt.VerificationKeySet{}
		for _, s := range a.c.Secrets {
			set.Keys = append(set.Keys, s)
		}
		return set, nil
	}
	return keys.keyFor(t)
}

// read returns the viewer of a verified token's claims.
func (a *Authenticator) read(claims jwt.MapClaims) (access.Viewer, error) {
	if !a.isFor(claims) {
		return access.Viewer{}, refuse(audience, "the token's audience (aud) does not include this service")
	}
	subject, err := claims.GetSubject()
	if err != nil {
		return access.Viewer{}, refuse(badSubject, "the token's subject (sub) is not a string")
	}
	if err := CheckSubject(subject); err != nil {
		return access.Viewer{}, refuse(badSubject, "the token is not usable: %v", err)
	}
	return access.Viewer{Subject: subject, Role: a.c.Roles.Of(claims)}, nil
}

// isFor reports whether a token is for one of the audiences. Cognito's access tokens have no
// audience but the id of the client that requested them.
func (a *Authenticator) isFor(claims jwt.MapClaims) bool {
	if len(a.c.Audiences) == 0 {
		return true
	}
	if _, ok := claims["aud"]; !ok {
		client, _ := claims["client_id"].(string)
		return slices.Contains(a.c.Audiences, client)
	}
	named, err := claims.GetAudience()
	return err == nil && slices.ContainsFunc(named, func(n string) bool { return slices.Contains(a.c.Audiences, n) })
}

// Limits of the cache of verified tokens: 4 MB, and a minute, so that tokens of a removed key
// expire.
const (
	maxSeen   = 4 << 20 // bytes
	seenBytes = 150     // of an entry, about, in addition to the cache's own overhead
	seenTime  = time.Minute
)

// seenKey identifies a verified token by its digest and the key set that verified it.
type seenKey struct {
	digest [sha256.Size]byte
	keys   *keySet
}

func seenAs(token string, keys *keySet) seenKey { return seenKey{sha256.Sum256([]byte(token)), keys} }

// Refusal is the error of a request whose Authorization header is refused. It never contains parts
// of the token.
type Refusal struct {
	Reason  string // one of the reasons below, for metrics
	Message string // one sentence, not capitalized
}

func (r *Refusal) Error() string { return r.Message }

// Unavailable reports whether the token could not be verified now: it may be valid.
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

// Errors of finding a key.
var (
	errUnknownKey = errors.New("the key is not in the key set")
	errNoKeys     = errors.New("no key set has been read yet")
	errCritical   = errors.New("the token has critical extensions (crit), which are not supported")
)

// refusalOf returns the refusal for an error of the parser. The first match decides, because the
// parser reports a bad signature before it checks claims.
func refusalOf(err error) *Refusal {
	for _, r := range []struct {
		is error
		*Refusal
	}{
		{errNoKeys, refuse(noKeys, "the keys that verify tokens have not been fetched yet, try again")},
		{errUnknownKey, refuse(unknownKey, "the token names an unknown key (kid)")},
		{errCritical, refuse(malformed, "the token requires extensions (crit) that are not supported")},
		{jwt.ErrTokenMalformed, refuse(malformed, "this is not a JSON Web Token")},
		{jwt.ErrTokenUnverifiable, refuse(algorithm, "the token's algorithm (alg) is not accepted")},
		{jwt.ErrTokenSignatureInvalid, refuse(signature, "the token's signature does not verify, or its algorithm is not accepted")},
		{jwt.ErrTokenExpired, refuse(expired, "the token has expired")},
		{jwt.ErrTokenNotValidYet, refuse(notYet, "the token is not valid yet")},
		{jwt.ErrTokenRequiredClaimMissing, refuse(expired, "a required claim is missing: the token needs exp, and iss if an issuer is configured")},
		{jwt.ErrTokenInvalidIssuer, refuse(issuer, "the token's issuer (iss) is not the configured one")},
	} {
		if errors.Is(err, r.is) {
			return r.Refusal
		}
	}
	return refuse(malformed, "the token is not valid")
}
