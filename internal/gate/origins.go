package gate

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Origins are sites whose pages may call the API, in the notation of browsers: scheme, host, and a
// port unless it is the scheme's default (RFC 6454 section 6.2). A * before the host's first dot
// matches any subdomain, as a port any port, and alone any site. The zero value matches none.
type Origins []string

const anyOrigin = "*"

// Check returns an error for the first origin that no browser sends.
func (o Origins) Check() error {
	for _, origin := range o {
		if why := wrongOrigin(origin); why != "" {
			return fmt.Errorf("%q %s", origin, why)
		}
	}
	return nil
}

// wrongOrigin returns why an origin can never match; empty if it can.
func wrongOrigin(origin string) string {
	if origin == anyOrigin {
		return ""
	}
	scheme, host, ok := strings.Cut(origin, "://")
	rest := strings.TrimPrefix(host, "*.")
	rest = strings.TrimSuffix(rest, ":*")
	bare := scheme + "://" + rest
	switch u, err := url.Parse(bare); {
	case !ok:
		return "has no scheme: write https://" + strings.Trim(origin, "/")
	case strings.ContainsAny(scheme, "*/:"):
		return "has no scheme: begin with https:// or http://"
	case strings.Contains(rest, "*"):
		return "has a * in an unsupported position: write https://*.shop.example for all subdomains, or http://localhost:* for all ports"
	case err != nil || u.Hostname() == "" || !isPort(u.Port()):
		return "is not an origin such as https://shop.example"
	case u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(bare, "#"):
		return "has more than scheme, host and port, which is all that browsers send: write " + scheme + "://" + strings.SplitN(host, "/", 2)[0]
	case origin != strings.ToLower(origin):
		return "has capital letters, which browsers never send: write " + strings.ToLower(origin)
	case strings.IndexFunc(origin, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0:
		return "has characters that browsers encode: write the host in its ASCII form, xn--…"
	case u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80":
		return "has the scheme's default port, which browsers leave out: write " +
			strings.TrimSuffix(origin, ":"+u.Port())
	}
	return ""
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil
}

// Named returns the origins that name sites: all but *.
func (o Origins) Named() Origins {
	return slices.DeleteFunc(slices.Clone(o), func(origin string) bool { return origin == anyOrigin })
}

// Allow reports whether the pages of an origin may call the API.
func (o Origins) Allow(origin string) bool {
	return slices.ContainsFunc(o, func(allowed string) bool {
		return allowed == anyOrigin || allowed == origin || strings.Contains(allowed, "*") && matches(allowed, origin)
	})
}

// matches compares an origin with a pattern that has a * for subdomains, for the port, or for
// both.
func matches(allowed, origin string) bool {
	scheme, host, _ := strings.Cut(allowed, "://")
	got, ok := strings.CutPrefix(origin, scheme+"://")
	if !ok {
		return false
	}
	if without, anyPort := strings.CutSuffix(host, ":*"); anyPort {
		host = without
		if colon := strings.LastIndexByte(got, ':'); colon >= 0 && strings.Trim(got[colon+1:], "0123456789") == "" {
			got = got[:colon]
		}
	}
	if domain, subdomains := strings.CutPrefix(host, "*."); subdomains {
		return len(got) > len(domain)+1 && strings.HasSuffix(got, "."+domain) && !strings.ContainsAny(got, "/@")
	}
	return got == host
}

// FromOtherSite reports whether, according to the browser, a page of another site sends this
// request, and the site is not one of origins. Browsers send Sec-Fetch-Site, which pages cannot
// change (https://www.w3.org/TR/fetch-metadata/): its value none is a person who typed the address
// or followed a bookmark. A link or an image of another site sends no Origin, so no origin
// matches. A request without Sec-Fetch-Site is a program's.
func FromOtherSite(r *http.Request, origins Origins) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		origin := r.Header.Get("Origin")
		return origin == "" || !origins.Allow(origin)
	}
	return false
}
