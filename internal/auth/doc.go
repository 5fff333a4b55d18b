// Package auth authenticates requests by their bearer token: a JSON Web Token (RFC 7519)
// signed by a trusted issuer.
//
// Two kinds of keys verify tokens, each with separate algorithms, so that no
// key is ever used with another kind's algorithm:
//
//	secrets   HS256: shared with the issuer only
//	key sets  RS256, ES256, EdDSA: public keys from a URL or a file (RFC 7517)
//
// The header of a token only chooses among these keys. Where it says that keys
// are to be found (jku, x5u, jwk, x5c) is never looked at.
package auth
