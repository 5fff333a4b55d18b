package gate

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

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
