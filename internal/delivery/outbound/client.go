// Package outbound calls addresses that others chose, such as addresses of webhooks: by https, without
// redirects to other hosts and proxies, bounded in time and bytes, and only on public networks.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"product-comments/store/comment/item"
)

// Options change what a client may call. The zero value is for addresses of the public Internet.
type Options struct {
	// Private allows http, and addresses of this machine and of private networks.
	Private bool
	// Timeout bounds a request with its answer; 15 seconds if zero.
	Timeout time.Duration
	// Redirects follows redirects to other addresses of the same host.
	Redirects bool
	// Hint ends the errors that Private would avoid; nothing if it is empty.
	Hint string
	// TLS is the configuration of TLS; nil for the system's certificates. Tests set it.
	TLS *tls.Config
}

// Time limits of connections. Idle ones are closed soon, since there may be one for each host that an
// operator ever named.
const (
	usual      = 15 * time.Second
	connecting = 5 * time.Second
	idle       = 30 * time.Second

	mostRedirects = 5
)

// Client makes requests. It is safe for concurrent use.
type Client struct {
	http    *http.Client
	private bool
	hint    string
}

// New returns a client.
func New(o Options) *Client {
	dialer := &net.Dialer{Timeout: connecting}
	if !o.Private {
		// Control sees each address that a name resolved to just before the connection to it, so a
		// name cannot change its address in between.
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return check(address, o.Hint) }
	}
	return &Client{private: o.Private, hint: o.Hint, http: &http.Client{
		Timeout: cmp.Or(o.Timeout, usual),
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if before := via[len(via)-1].URL; o.Redirects && len(via) <= mostRedirects && r.URL.Host == before.Host && r.URL.Scheme == before.Scheme {
				return nil
			}
			return http.ErrUseLastResponse
		},
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: o.TLS, TLSHandshakeTimeout: connecting, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: idle, MaxResponseHeaderBytes: 16 << 10, DisableCompression: true,
		},
	}}
}

// Response is an answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes a request and reads at most limit bytes of the answer. The request's context bounds it,
// too.
func (c *Client) Do(r *http.Request, limit int64) (*Response, error) {
	if r.URL.Scheme != "https" && !c.private {
		return nil, errors.New("only https is allowed: use an https address" + c.hint)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, plain(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusSwitchingProtocols { // its body is the connection, which no timeout ends
		return &Response{Status: answer.StatusCode, Header: answer.Header}, nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit))
	if err != nil && answer.StatusCode/100 == 2 {
		return nil, fmt.Errorf("it answered %d, and its answer broke off: %w", answer.StatusCode, plain(err))
	}
	return &Response{answer.StatusCode, answer.Header, body}, nil
}

// Fetch returns what is at an address, limit bytes at most. It returns an error for a longer answer.
func (c *Client) Fetch(ctx context.Context, address string, limit int64) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || r.URL.Host == "" || r.URL.User != nil {
		return nil, errors.New("it is no address: write https://host/path")
	}
	r.Header.Set("User-Agent", "product-comments")
	got, err := c.Do(r, limit+1)
	switch {
	case err != nil:
		return nil, err
	case got.Status/100 == 3:
		return nil, fmt.Errorf("it answered %d, a redirect to another host, or one too many: give the address where it ends", got.Status)
	case got.Status != http.StatusOK:
		return nil, fmt.Errorf("it answered %d", got.Status)
	case int64(len(got.Body)) > limit:
		return nil, fmt.Errorf("it has more than %d MB", limit>>20)
	}
	return got.Body, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// said is how much errors quote of what others say, in bytes.
const said = 200

// Words returns the beginning of a text of others as one line that can be printed.
func Words(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), said)], "")
	return item.Printable(strings.Join(strings.Fields(text), " "))
}

var errTimeout = errors.New("it did not answer in time")

// plain returns an error without the address, which may hold a secret of its owner.
func plain(err error) error {
	var refused *privateError
	var of *url.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, context.DeadlineExceeded):
		return errTimeout
	case !errors.As(err, &of):
		return err
	case of.Timeout():
		return errTimeout
	}
	return of.Err
}

// privateError says that a name has an address that must not be called.
type privateError struct {
	address netip.Addr
	hint    string
}

func (e *privateError) Error() string {
	return fmt.Sprintf("its address %s is not on the public Internet%s", e.address, e.hint)
}

// special are blocks that are not on the public Internet (IANA's registries of special-purpose
// addresses) and for which netip.Addr has no method, and blocks that embed IPv4
// addresses.
var special = func() (all []netip.Prefix) {
	for _, block := range strings.Fields("0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 " +
		"64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fec0::/10 ::/96") {
		all = append(all, netip.MustParsePrefix(block))
	}
	return all
}()

// check returns an error for a host and port that are not on the public Internet.
func check(address, hint string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	bad := !ip.IsGlobalUnicast() || ip.IsPrivate() || at.Addr().Zone() != ""
	for _, block := range special {
		bad = bad || block.Contains(ip)
	}
	if bad {
		return &privateError{ip, hint}
	}
	return nil
}
