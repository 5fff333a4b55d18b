package outbound

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// A hostile server gets no further than its address, and gives no more than was asked for.
func TestFetch(t *testing.T) {
	const limit = 10 << 20
	end := make(chan struct{})
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer other.Close()
	hops := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/picture":
			_, _ = w.Write([]byte("a picture"))
		case "/most":
			_, _ = w.Write(bytes.Repeat([]byte("x"), limit))
		case "/large":
			for range 11 << 4 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<16))
			}
		case "/moved":
			http.Redirect(w, r, "/picture", http.StatusMovedPermanently)
		case "/elsewhere":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/plain":
			http.Redirect(w, r, "http://"+r.Host+"/picture", http.StatusFound)
		case "/loop":
			hops++
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/slow":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-end
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("begin"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	defer close(end)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := New(Options{Private: true, Redirects: true, Timeout: time.Second, TLS: &tls.Config{RootCAs: roots}})
	defer client.Close()
	for path, want := range map[string]string{
		"/picture": "9 bytes", "/moved": "9 bytes", "/most": "10485760 bytes",
		"/large": "it has more than 10 MB", "/elsewhere": "it answered 302, a redirect to another host", "/plain": "it answered 302, a redirect",
		"/loop": "it answered 302, a redirect to another host, or one too many", "/slow": "did not answer in time", "/cut": "its answer broke off", "/none": "it answered 404",
	} {
		content, err := client.Fetch(t.Context(), server.URL+path, limit)
		got := fmt.Sprintf("%d bytes", len(content))
		if err != nil {
			got = err.Error()
		}
		testkit.Check(t, strings.Contains(got, want), "%s: %s, not %s", path, got, want)
	}
	testkit.Check(t, hops <= mostRedirects+1, "%d hops", hops)
	public := New(Options{Redirects: true, TLS: &tls.Config{RootCAs: roots}})
	defer public.Close()
	for address, want := range map[string]string{
		server.URL + "/picture": "its address 127.0.0.1 is not on the public Internet", "http://shop.example/a.jpg": "only https is allowed: use an https address",
		"https://user:word@shop.example/a.jpg": "it is no address", "file:///etc/passwd": "it is no address", "a.jpg": "it is no address", "https://[::1]/a.jpg": "not on the public Internet",
		"https://169.254.169.254/latest/meta-data": "not on the public Internet",
	} {
		_, err := public.Fetch(t.Context(), address, limit)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "--"), "%s: %v", address, err)
	}
}
