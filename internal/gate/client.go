package gate

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies determine the client of a request behind trusted proxies. The zero value trusts no
// proxy: the client is the peer of the connection.
type Proxies struct {
	Trusted []netip.Prefix
	// Header is the one header that the trusted proxies set: X-Forwarded-For or Forwarded (RFC
	// 7239). Others are ignored, because a proxy that does not know a header forwards the
	// client's. Empty is X-Forwarded-For.
	Header string
}

// The supported values of Proxies.Header.
const (
	XForwardedFor = "X-Forwarded-For"
	Forwarded     = "Forwarded"
)

// Client is the origin of a request, as far as it is known.
type Client struct {
	Addr netip.Addr // invalid without a connection
	// Local means that the client is a program on this machine: it has connected over the loopback
	// interface, and no header shows a proxy.
	Local bool
	HTTPS bool // between the client and the first proxy, or this server
}

// Key returns the client's key for limiters. All addresses of an IPv6 network of 64 bits are one
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
func ParseProxies(list []string, header string) (p Proxies, err error) {
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, notAddr := netip.ParseAddr(text)
			if notAddr != nil {
				return p, fmt.Errorf("%q is neither a network, such as 10.0.0.0/8, nor an address", text)
			}
			prefix = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		}
		p.Trusted = append(p.Trusted, prefix.Masked())
	}
	p.Header = header
	return p, nil
}

// Trusts reports whether an address belongs to a trusted proxy.
func (p Proxies) Trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(prefix netip.Prefix) bool { return prefix.Contains(addr.Unmap()) })
}

// Client returns the client of a request. Every proxy appends the address of its peer, so the list
// is read from its end, while the author of an entry is trusted. Entries that a client forged are
// further to the left.
func (p Proxies) Client(r *http.Request) Client {
	peer := hostOf(r.RemoteAddr)
	c := Client{Addr: peer, HTTPS: r.TLS != nil}
	c.Local = peer.IsLoopback() && !Proxied(r)
	if !p.Trusts(peer) {
		return c
	}
	hops := p.hops(r.Header)
	for i := len(hops) - 1; i >= 0 && p.Trusts(c.Addr); i-- {
		addr, ok := parseHop(hops[i].addr)
		if !ok {
			break // unknown or hidden: the proxy that wrote it counts as the client
		}
		c.Addr, c.HTTPS = addr, hops[i].https
	}
	return c
}

// Proxied reports whether a header shows that a proxy forwards a request.
func Proxied(r *http.Request) bool {
	return slices.ContainsFunc(proxyHeaders, func(name string) bool { return len(r.Header[name]) > 0 })
}

var proxyHeaders = []string{XForwardedFor, Forwarded, "X-Real-Ip", "Via"}

// hostOf returns the peer's address of a connection, without its port.
func hostOf(remote string) netip.Addr {
	at, _ := netip.ParseAddrPort(remote)
	return at.Addr().Unmap().WithZone("")
}

// hop is a proxy's entry about its peer.
type hop struct {
	addr  string
	https bool
}

// maxHops limits the entries that are read, from the end.
const maxHops = 32

func (p Proxies) hops(h http.Header) (hops []hop) {
	if p.Header == Forwarded {
		for _, element := range lastElements(h[Forwarded]) {
			var one hop
			for pair := range strings.SplitSeq(element, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
				value = strings.Trim(value, `"`)
				switch strings.ToLower(name) {
				case "for":
					one.addr = value
				case "proto":
					one.https = strings.EqualFold(value, "https")
				}
			}
			hops = append(hops, one)
		}
		return hops
	}
	protocols := lastElements(h["X-Forwarded-Proto"])
	https := len(protocols) > 0 && strings.EqualFold(protocols[len(protocols)-1], "https")
	for _, element := range lastElements(h[XForwardedFor]) {
		hops = append(hops, hop{element, https})
	}
	return hops
}

// lastElements returns the last elements of a list header, on one line or several.
func lastElements(lines []string) []string {
	text := strings.Join(lines, ",")
	list := strings.Split(text, ",")
	list = list[max(0, len(list)-maxHops):]
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if text == "" {
		return nil
	}
	return list
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

// Hosts are the accepted values of the header Host. The check prevents DNS rebinding: a page whose
// host name is changed to resolve to this machine can send requests as if to its own site, but
// they still have its name. The zero value accepts every name.
type Hosts struct {
	Names    []string // in lower case, without a port
	Loopback bool     // also accept localhost, and this machine's addresses
	// Addresses accepts any IP address: DNS rebinding needs a name.
	Addresses bool
}

// Any reports whether every name is accepted.
func (h Hosts) Any() bool { return len(h.Names) == 0 && !h.Loopback && !h.Addresses }

// HostOf returns the name or address in a request's Host header, in lower case and without a port.
func HostOf(r *http.Request) string {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
}

// Answers reports whether a request has an accepted name. It accepts a request without a name,
// because every browser sends one.
func (h Hosts) Answers(r *http.Request) bool {
	if h.Any() || r.Host == "" {
		return true
	}
	name := HostOf(r)
	if slices.Contains(h.Names, name) {
		return true
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return h.Addresses || h.Loopback && addr.Unmap().IsLoopback()
	}
	return h.Loopback && (name == "localhost" || strings.HasSuffix(name, ".localhost")) // RFC 6761 section 6.3
}
