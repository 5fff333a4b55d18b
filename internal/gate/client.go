package gate

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies say whose word is taken for where a request comes from. The zero value
// trusts no proxy: the client is who has connected.
type Proxies struct {
	Trusted []netip.Prefix
	// Header is the one header that the trusted proxies set: X-Forwarded-For or
	// Forwarded (RFC 7239). Others are ignored, because a proxy that does not know a
	// header passes on what a client wrote into it. "" is X-Forwarded-For.
	Header string
}

// The headers that Proxies can read.
const (
	XForwardedFor = "X-Forwarded-For"
	Forwarded     = "Forwarded"
)

// Client is where a request comes from, as far as it can be known.
type Client struct {
	Addr netip.Addr // invalid if there is no connection behind the request
	// Local means that a program on this machine asks for itself: it has connected
	// over the loopback interface, and no header tells of anybody behind it.
	Local bool
	HTTPS bool // between the client and the first proxy, or here
}

// Key is what a client is known by in a limiter. All addresses of an IPv6 network of
// 64 bits are one client, since one machine can have them all.
func (c Client) Key() string {
	if c.Addr.Is6() {
		if prefix, err := c.Addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return c.Addr.String()
}

// ParseProxies reads networks such as 10.0.0.0/8, or single addresses.
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

// Trusts reports whether an address is that of a trusted proxy.
func (p Proxies) Trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(prefix netip.Prefix) bool { return prefix.Contains(addr.Unmap()) })
}

// Client tells where a request comes from. Every proxy appends whom it was asked by,
// so the list is read from its end, for as long as who wrote an entry is trusted:
// whatever a client wrote itself stands further to the left.
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
			break // unknown or hidden: the proxy that wrote it stands for the client
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

// hostOf returns the address at the other end of a connection, without its port.
func hostOf(remote string) netip.Addr {
	at, _ := netip.ParseAddrPort(remote)
	return at.Addr().Unmap().WithZone("")
}

// hop is what a proxy wrote of whom it was asked by.
type hop struct {
	addr  string
	https bool
}

// mostHops bounds how much of a list is looked at, from its end.
const mostHops = 32

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

// lastElements returns the last elements of a header that is a list, on one line or
// several.
func lastElements(lines []string) []string {
	text := strings.Join(lines, ",")
	list := strings.Split(text, ",")
	list = list[max(0, len(list)-mostHops):]
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if text == "" {
		return nil
	}
	return list
}

// parseHop reads an address with or without a port; IPv6 may stand in brackets.
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

// Hosts are the names by which a server may be asked, which the header Host holds.
// The check stops DNS rebinding: a page whose own name suddenly leads to this machine
// can ask as if it were the page's own site, but its requests still have its name.
// The zero value answers to every name.
type Hosts struct {
	Names    []string // in lower case, without a port
	Loopback bool     // also answer to localhost, and to this machine's own addresses
	// Addresses is whether any address is a name, too: no page has one as its own name
	// that leads elsewhere.
	Addresses bool
}

// Any reports whether every name is answered.
func (h Hosts) Any() bool { return len(h.Names) == 0 && !h.Loopback && !h.Addresses }

// Answers reports whether a request may be answered. One without a name may: every
// browser sends one.
func (h Hosts) Answers(r *http.Request) bool {
	if h.Any() || r.Host == "" {
		return true
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if slices.Contains(h.Names, name) {
		return true
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return h.Addresses || h.Loopback && addr.Unmap().IsLoopback()
	}
	return h.Loopback && (name == "localhost" || strings.HasSuffix(name, ".localhost")) // RFC 6761 section 6.3
}
