package gate

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

func request(remote string, headers ...string) *http.Request {
	r := &http.Request{RemoteAddr: remote, Header: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestClient(t *testing.T) {
	inner := []string{"10.0.0.0/8", "127.0.0.1", "fd00::/8"}
	for _, c := range []struct {
		name         string
		trusted      []string
		header       string
		request      *http.Request
		want         string // key
		local, https bool
	}{
		{"without proxies the client is the peer", nil, "", request("192.0.2.1:5"), "192.0.2.1", false, false},
		{"this machine is local", nil, "", request("127.0.0.1:5"), "127.0.0.1", true, false},
		{"this machine is not local for a client in X-Forwarded-For", nil, "", request("127.0.0.1:5", "X-Forwarded-For", "192.0.2.1"), "127.0.0.1", false, false},
		{"this machine is not local for a client in Forwarded", nil, "", request("[::1]:5", "Forwarded", "for=192.0.2.1"), "::/64", false, false},
		{"the header of a stranger is ignored", inner, "", request("192.0.2.1:5", "X-Forwarded-For", "192.0.2.9", "X-Forwarded-Proto", "https"), "192.0.2.1", false, false},
		{"the header of a trusted proxy is read", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "192.0.2.9", "X-Forwarded-Proto", "https"), "192.0.2.9", false, true},
		{"the address that the client wrote is ignored", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1, 192.0.2.9"), "192.0.2.9", false, false},
		{"several header lines are read as one", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1", "X-Forwarded-For", "192.0.2.9"), "192.0.2.9", false, false},
		{"two trusted proxies are skipped", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1, 192.0.2.9, 10.9.9.9"), "192.0.2.9", false, false},
		{"where all are trusted proxies the first is the client", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "10.9.9.9"), "10.9.9.9", false, false},
		{"a proxy that hides its client is taken for it", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1, unknown"), "10.1.2.3", false, false},
		{"a proxy on this machine may be trusted", inner, "", request("127.0.0.1:5", "X-Forwarded-For", "192.0.2.9:1234"), "192.0.2.9", false, false},
		{"an IPv6 client is its network", inner, "", request("10.1.2.3:5", "X-Forwarded-For", "2001:db8:1:2:3::4"), "2001:db8:1:2::/64", false, false},
		{"IPv4 within IPv6 is IPv4", nil, "", request("[::ffff:192.0.2.1]:5"), "192.0.2.1", false, false},
		{"the header Forwarded may be configured", inner, Forwarded, request("10.1.2.3:5", "Forwarded", `for=1.1.1.1, for="[2001:db8::1]:47";proto=https;by=10.1.2.3`), "2001:db8::/64", false, true},
		{"X-Forwarded-For is ignored where Forwarded is configured", inner, Forwarded, request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1"), "10.1.2.3", false, false},
		{"Forwarded is ignored where X-Forwarded-For is configured", inner, "", request("10.1.2.3:5", "Forwarded", "for=1.1.1.1"), "10.1.2.3", false, false},
		{"without a network there is one client", nil, "", request(""), "invalid IP", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testkit.Value(ParseProxies(c.trusted, c.header))(t)
			got := p.Client(c.request)
			testkit.Check(t, got.Key() == c.want && got.Local == c.local && got.HTTPS == c.https, "%s, %+v", got.Key(), got)
		})
	}
	r := request("192.0.2.1:5")
	r.TLS = &tls.ConnectionState{}
	testkit.Check(t, (Proxies{}).Client(r).HTTPS, "a connection with TLS is HTTPS")
	testkit.Check(t, testkit.Err(ParseProxies([]string{"10.0.0.0/40"}, "")) != nil, "10.0.0.0/40 is a network")
}

func TestHosts(t *testing.T) {
	loopback, named := Hosts{Loopback: true, Names: []string{"shop.test"}}, Hosts{Names: []string{"shop.example"}}
	for _, c := range []struct {
		hosts Hosts
		host  string
		want  bool
	}{
		{Hosts{}, "evil.example", true},
		{loopback, "localhost:8080", true}, {loopback, "127.0.0.1:8080", true}, {loopback, "[::1]:8080", true}, {loopback, "[::1]", true},
		{loopback, "LocalHost.", true}, {loopback, "a.localhost:80", true}, {loopback, "Shop.Test:8080", true}, {loopback, "", true},
		{loopback, "evil.example:8080", false}, {loopback, "192.168.0.1:8080", false}, {loopback, "localhost.evil.example", false}, {loopback, "127.0.0.1.evil.example", false},
		{Hosts{Loopback: true, Addresses: true}, "192.168.0.1:8082", true}, {Hosts{Loopback: true, Addresses: true}, "[fd00::1]:8082", true},
		{Hosts{Loopback: true, Addresses: true}, "localhost:8082", true}, {Hosts{Loopback: true, Addresses: true}, "evil.example", false},
		{Hosts{Loopback: true, Addresses: true}, "192.168.0.1.evil.example", false},
		{named, "shop.example", true}, {named, "localhost", false}, {named, "ashop.example", false},
	} {
		testkit.Equal(t, c.hosts.Answers(&http.Request{Host: c.host}), c.want, "%+v, %q", c.hosts, c.host)
	}
}

// Only a browser that says so sends for another site.
func TestFromOtherSite(t *testing.T) {
	origins := Origins{"https://shop.example"}
	for _, c := range []struct {
		headers []string
		want    bool
	}{
		{nil, false}, // curl
		{[]string{"Content-Type", "text/plain"}, false},
		{[]string{"Origin", "https://other.example"}, false},
		{[]string{"Origin", "null"}, false},
		{[]string{"Sec-Fetch-Site", "none"}, false}, // an address that was typed
		{[]string{"Sec-Fetch-Site", "same-origin"}, false},
		{[]string{"Sec-Fetch-Site", "same-origin", "Origin", "https://comments.example"}, false},
		{[]string{"Sec-Fetch-Site", "cross-site"}, true}, // a link, an image
		{[]string{"Sec-Fetch-Site", "same-site"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://other.example"}, true},
		{[]string{"Sec-Fetch-Site", "same-site", "Origin", "https://other.example"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, true}, // a frame in a sandbox
		{[]string{"Sec-Fetch-Site", "cross-site", "Apollo-Require-Preflight", "true"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site", "Content-Type", "application/json"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"}, false},
		{[]string{"Sec-Fetch-Site", "same-site", "Origin", "https://shop.example"}, false},
	} {
		testkit.Equal(t, FromOtherSite(request("", c.headers...), origins), c.want, "%q", c.headers)
	}
	for _, c := range []struct {
		origin string
		want   bool
	}{{"", true}, {"https://other.example", false}} {
		testkit.Equal(t, FromOtherSite(request("", "Sec-Fetch-Site", "cross-site", "Origin", c.origin), Origins{"*"}), c.want, "%q, where all may ask", c.origin)
	}
}

func TestOriginsThatCanNeverMatch(t *testing.T) {
	for _, good := range []string{
		"*", "https://shop.example", "http://localhost:5173", "https://*.shop.example", "http://localhost:*", "https://*.shop.example:*",
		"https://xn--bcher-kva.example", "http://[::1]:3000", "http://127.0.0.1", "https://shop.example:8443", "capacitor://localhost", "chrome-extension://abc",
	} {
		err := (Origins{good}).Check()
		testkit.Check(t, err == nil, "%s: %v", good, err)
	}
	for bad, says := range map[string]string{
		"":                           "no scheme",
		"shop.example":               "write https://shop.example",
		"localhost:3000":             "no scheme",
		"null":                       "no scheme",
		"//shop.example":             "no scheme",
		"https://":                   "is not an origin",
		"https://:8080":              "is not an origin",
		"https://shop.example/":      "write https://shop.example",
		"https://shop.example/cart":  "write https://shop.example",
		"https://shop.example?a":     "more than scheme",
		"https://shop.example#a":     "more than scheme",
		"https://me@shop.example":    "more than scheme",
		"https://Shop.example":       "capital letters",
		"HTTPS://shop.example":       "capital letters",
		"https://shop.example:443":   "default port",
		"http://shop.example:80":     "default port",
		"https://bücher.example":     "xn--",
		"https://*.*.shop.example":   "in an unsupported position",
		"https://shop.*":             "in an unsupported position",
		"https://*shop.example":      "in an unsupported position",
		"https://shop.example:80*":   "in an unsupported position",
		"*.shop.example":             "no scheme",
		"*://shop.example":           "no scheme",
		"https://shop.example, b":    "is not an origin",
		"https://a.example:99999999": "is not an origin",
	} {
		err := (Origins{"https://shop.example", bad}).Check()
		testkit.Check(t, err != nil && strings.Contains(err.Error(), says), "%q: %v, want %q", bad, err, says)
	}
}

func TestOriginsAllow(t *testing.T) {
	o := Origins{"https://shop.example", "https://*.shops.example", "http://localhost:*"}
	for origin, want := range map[string]bool{
		"https://shop.example": true, "http://shop.example": false, "https://shop.example:8443": false, "https://shop.example.evil": false,
		"https://a.shops.example": true, "https://a.b.shops.example": true, "https://shops.example": false, "https://.shops.example": false,
		"https://evilshops.example": false, "https://a.shops.example:8443": false,
		"http://localhost": true, "http://localhost:3000": true, "http://localhost:x": false, "http://localhost.evil:3000": false, "https://localhost:3000": false,
		"null": false, "": false,
	} {
		testkit.Equal(t, o.Allow(origin), want, "%q", origin)
	}
	testkit.Check(t, (Origins{"*"}).Allow("https://anybody.example") && !(Origins)(nil).Allow("https://anybody.example"), "* is any, none is none")
}
