package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// fetchTimeout bounds how long a key set is fetched.
const fetchTimeout = 5 * time.Second

// FromURL reads a key set from a URL: https, or http on this machine. It is
// fetched without credentials, and a redirect is followed only to such a URL.
func FromURL(address string) (Source, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	if err := fetchable(u); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 64 << 10
	client := &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return errors.New("there are too many redirects")
		}
		return fetchable(r.URL)
	}}
	return func(ctx context.Context) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Accept", "application/jwk-set+json, application/json")
		response, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the answer is %s", response.Status)
		}
		return readKeySet(response.Body)
	}, nil
}

// Check tells what is wrong with the keys at their source, nil if they can be used.
func (s Source) Check(ctx context.Context) error {
	text, err := s(ctx)
	if err != nil {
		return err
	}
	_, err = parseKeySet(text)
	return err
}

// fetchable refuses addresses on the way to which keys could be exchanged.
func fetchable(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it is not a URL with https")
	case u.Scheme == "http" && !local:
		return errors.New("keys that are fetched without https can be exchanged on the way: only http to this machine is taken")
	}
	return nil
}

// FromFile reads a key set from a file.
func FromFile(path string) Source {
	return func(context.Context) ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readKeySet(f)
	}
}

// readKeySet reads at most one byte more than a key set may have, which parseKeySet
// refuses then.
func readKeySet(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxKeySet+1)) }
