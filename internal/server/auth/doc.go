// Package auth authenticates requests by their bearer token: a JSON Web Token (RFC 7519)
// signed by a trusted issuer.
//
// Two kinds of keys verify tokens, each with separate algorithms, so that no
// key is ever used with another kind's algorithm:
//
//	secrets   HS256: shared with the issuer only
//	key sets  RS256, ES256, EdDSA: public keys from a URL or a file (RFC 7517)
//
// The header of a token only selects one of these keys. Its own keys and addresses of keys
// (jku, x5u, jwk, x5c) are ignored.
package auth
