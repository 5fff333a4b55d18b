// Package auth says who sends a request, by the bearer token that it carries: a
// JSON Web Token (RFC 7519) that a trusted issuer has signed.
//
// Two kinds of keys verify tokens, each with algorithms of its own, so that no
// key is ever used with another kind's algorithm:
//
//	secrets   HS256: shared with the issuer only
//	key sets  RS256, ES256, EdDSA: public keys from a URL or a file (RFC 7517)
//
// The header of a token only chooses among these keys. Where it says that keys
// are to be found (jku, x5u, jwk, x5c) is never looked at.
package auth
