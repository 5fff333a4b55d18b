package admission

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Proxies are the networks of trusted proxies, which set X-Forwarded-For and X-Forwarded-Proto.
// Without any, the client is the peer of the connection.
type Proxies []netip.Prefix

// Client is the known origin of a request.
type Client struct {
	Addr netip.Addr // invalid without a connection
	// Local means that the client is a program on this machine: it has connected over the loopback
	// interface, and no header shows a proxy.
	Local bool
	HTTPS bool // between the client and the first proxy, or this server
}

// Key returns the client's key in budgets. All addresses of an IPv6 network of 64 bits are one
// client, because one machine can have all of them.
func (c Client) Key() string {
	if c.Addr.Is6() {
		if prefix, err := c.Addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return c.Addr.String()
}

// ParseProxies parses networks such as 10.0.0.0/8, or single addresses.
func ParseProxies(list []string) (p Proxies, err error) {
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, notAddr := netip.ParseAddr(text)
			if notAddr != nil {
				return p, fmt.Errorf("%q is neither a network, such as 10.0.0.0/8, nor an address", text)
			}
			prefix = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		}
		p = append(p, prefix.Masked())
	}
	return p, nil
}

// Trust reports whether an address belongs to a trusted proxy.
func (p Proxies) Trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(addr.Unmap()) })
}

// maxHops limits the entries of X-Forwarded-For that are read, from the end.
const maxHops = 32

// Client returns the client of a request. Every proxy appends the address of its peer, so the list
// is read from its end, while the author of an entry is trusted. Entries that a client forged are
// further to the left.
func (p Proxies) Client(r *http.Request) Client {
	peer := hostOf(r.RemoteAddr)
	c := Client{Addr: peer, HTTPS: r.TLS != nil}
	c.Local = peer.IsLoopback() && !Proxied(r)
	if !p.Trust(peer) {
		return c
	}
	hops := strings.Split(strings.Join(r.Header[forwardedFor], ","), ",")
	protocols := strings.Split(strings.Join(r.Header["X-Forwarded-Proto"], ","), ",")
	https := strings.EqualFold(strings.TrimSpace(protocols[len(protocols)-1]), "https")
	for i := len(hops) - 1; i >= max(0, len(hops)-maxHops) && p.Trust(c.Addr); i-- {
		addr, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			break // unknown or hidden: the proxy that wrote it counts as the client
		}
		c.Addr, c.HTTPS = addr, https
	}
	return c
}

const forwardedFor = "X-Forwarded-For"

// Proxied reports whether a header shows that a proxy forwards a request.
func Proxied(r *http.Request) bool {
	return slices.ContainsFunc([]string{forwardedFor, "Forwarded", "X-Real-Ip", "Via"},
		func(name string) bool { return len(r.Header[name]) > 0 })
}

// hostOf returns the peer's address of a connection, without its port.
func hostOf(remote string) netip.Addr {
	at, _ := netip.ParseAddrPort(remote)
	return at.Addr().Unmap().WithZone("")
}

// parseHop parses an address with or without a port; IPv6 may be in brackets.
func parseHop(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		at, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = at.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

// Hosts are the accepted values of the header Host. The check prevents DNS rebinding: the host
// name of a page can be changed to resolve to this machine. The page can then send requests here as
// if to its own site, but they still have its name. The zero value accepts every name.
type Hosts struct {
	Names    []string // in lower case, without a port
	Loopback bool     // also accept localhost, and this machine's addresses
	// Addresses accepts any IP address: DNS rebinding needs a name.
	Addresses bool
}

// Any reports whether every name is accepted.
func (h Hosts) Any() bool { return len(h.Names) == 0 && !h.Loopback && !h.Addresses }

// nameOf returns the name or address in a request's Host header, in lower case and without a port.
func nameOf(r *http.Request) string {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
}

// answer reports whether a request has an accepted name. They accept a request without a name,
// because every browser sends one.
func (h Hosts) answer(r *http.Request) bool {
	if h.Any() || r.Host == "" {
		return true
	}
	name := nameOf(r)
	if slices.Contains(h.Names, name) {
		return true
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return h.Addresses || h.Loopback && addr.Unmap().IsLoopback()
	}
	return h.Loopback && (name == "localhost" || strings.HasSuffix(name, ".localhost")) // RFC 6761 section 6.3
}

// hostName matches names and addresses that a shell and a terminal take for nothing else.
var hostName = regexp.MustCompile(`^[a-z0-9:][a-z0-9.:-]{0,252}$`)

// check refuses a request for another name. /healthz and /readyz accept any, because load balancers
// request them by address and they reveal nothing; ?verbose does not.
func (h Hosts) check(r *http.Request) error {
	health := r.URL.Path == "/healthz" || r.URL.Path == "/readyz" && !r.URL.Query().Has("verbose")
	if health || h.answer(r) {
		return nil
	}
	name := nameOf(r)
	if !hostName.MatchString(name) {
		name = "shop.example"
	}
	return Refused(http.StatusMisdirectedRequest, "host",
		"This server does not answer to the name in the Host header: start it with --hosts %s, and for a phone or "+
			"another machine of your network also with --addr 0.0.0.0:8080", name)
}
