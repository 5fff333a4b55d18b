package admission

import (
	"crypto/tls"
	"net/http"
	"testing"

	"product-comments/internal/testing/testkit"
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
		request      *http.Request
		want         string // key
		local, https bool
	}{
		{"without proxies the client is the peer", nil, request("192.0.2.1:5"), "192.0.2.1", false, false},
		{"this machine is local", nil, request("127.0.0.1:5"), "127.0.0.1", true, false},
		{"this machine is not local for a client in X-Forwarded-For", nil, request("127.0.0.1:5", "X-Forwarded-For", "192.0.2.1"), "127.0.0.1", false, false},
		{"this machine is not local for a client in Forwarded", nil, request("[::1]:5", "Forwarded", "for=192.0.2.1"), "::/64", false, false},
		{"the header of a stranger is ignored", inner, request("192.0.2.1:5", "X-Forwarded-For", "192.0.2.9", "X-Forwarded-Proto", "https"), "192.0.2.1", false, false},
		{"the header of a trusted proxy is read", inner, request("10.1.2.3:5", "X-Forwarded-For", "192.0.2.9", "X-Forwarded-Proto", "https"), "192.0.2.9", false, true},
		{"the address that the client wrote is ignored", inner, request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1, 192.0.2.9"), "192.0.2.9", false, false},
		{"several header lines are read as one", inner, request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1", "X-Forwarded-For", "192.0.2.9"), "192.0.2.9", false, false},
		{"two trusted proxies are skipped", inner, request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1, 192.0.2.9, 10.9.9.9"), "192.0.2.9", false, false},
		{"where all are trusted proxies the first is the client", inner, request("10.1.2.3:5", "X-Forwarded-For", "10.9.9.9"), "10.9.9.9", false, false},
		{"a proxy that hides its client is taken for it", inner, request("10.1.2.3:5", "X-Forwarded-For", "1.1.1.1, unknown"), "10.1.2.3", false, false},
		{"a proxy on this machine may be trusted", inner, request("127.0.0.1:5", "X-Forwarded-For", "192.0.2.9:1234"), "192.0.2.9", false, false},
		{"an IPv6 client is its network", inner, request("10.1.2.3:5", "X-Forwarded-For", "2001:db8:1:2:3::4"), "2001:db8:1:2::/64", false, false},
		{"IPv4 within IPv6 is IPv4", nil, request("[::ffff:192.0.2.1]:5"), "192.0.2.1", false, false},
		{"the header Forwarded is ignored", inner, request("10.1.2.3:5", "Forwarded", "for=1.1.1.1"), "10.1.2.3", false, false},
		{"without a network there is one client", nil, request(""), "invalid IP", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testkit.Value(ParseProxies(c.trusted))(t)
			got := p.Client(c.request)
			testkit.Check(t, got.Key() == c.want && got.Local == c.local && got.HTTPS == c.https, "%s, %+v", got.Key(), got)
		})
	}
	r := request("192.0.2.1:5")
	r.TLS = &tls.ConnectionState{}
	testkit.Check(t, (Proxies{}).Client(r).HTTPS, "a connection with TLS is HTTPS")
	testkit.Check(t, testkit.Err(ParseProxies([]string{"10.0.0.0/40"})) != nil, "10.0.0.0/40 is a network")
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
		testkit.Equal(t, c.hosts.answer(&http.Request{Host: c.host}), c.want, "%+v, %q", c.hosts, c.host)
	}
}
