package httpapi_test

import (
	"testing"

	"product-comments/internal/testkit"
)

// A client that accepts zstd among others gets gzip; one that prefers it, or accepts
// nothing else, gets it.
func TestEncodings(t *testing.T) {
	s := serve(t)
	for accepts, want := range map[string]string{
		"gzip": "gzip", "gzip, deflate, br, zstd": "gzip", "zstd, gzip": "gzip", "zstd;q=0.5, gzip;q=0.5": "gzip",
		"zstd;q=1.0, gzip;q=0.5": "zstd", "zstd": "zstd", "br, zstd": "zstd", "br": "", "identity": "", "gzip;q=0, zstd;q=0": "",
	} {
		for _, path := range []string{"/schema.graphql", "/graphql?query=" + `%7B__schema%7Btypes%7Bname%20description%7D%7D%7D`} {
			header, _ := newOnTheWire(t, s.URL+path).ask(t, accepts, false)
			got := header.Get("Content-Encoding")
			testkit.Check(t, got == want, "%s: %q for a client that accepts %s, want %q", path, got, accepts, want)
		}
	}
}
