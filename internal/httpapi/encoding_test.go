package httpapi_test

import (
	"io"
	"net/http"
	"testing"
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
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", accepts)
			response, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if got := response.Header.Get("Content-Encoding"); got != want {
				t.Errorf("%s: %q for a client that accepts %s, want %q", path, got, accepts, want)
			}
		}
	}
}
