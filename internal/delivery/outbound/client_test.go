package outbound

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

func TestAddresses(t *testing.T) {
	for address, public := range map[string]bool{
		"93.184.215.14:443": true, "[2606:2800:21f:cb07::1]:443": true, "8.8.8.8:443": true,
		"127.0.0.1:443": false, "127.8.9.1:443": false, "10.1.2.3:443": false, "172.16.0.1:443": false, "172.31.255.255:443": false,
		"192.168.1.1:443": false, "169.254.169.254:80": false, "100.64.0.1:443": false, "0.0.0.0:443": false, "0.1.2.3:443": false,
		"224.0.0.1:443": false, "255.255.255.255:443": false, "198.18.0.1:443": false, "192.0.2.1:443": false,
		"[::1]:443": false, "[::]:443": false, "[fe80::1]:443": false, "[fe80::1%eth0]:443": false, "[fc00::1]:443": false,
		"[fd00:ec2::254]:80": false, "[ff02::1]:443": false, "[::ffff:127.0.0.1]:443": false, "[::ffff:10.0.0.1]:443": false,
		"[64:ff9b::7f00:1]:443": false, "[2002:7f00:1::]:443": false, "[::127.0.0.1]:443": false, "[2001:0:7f00:1::]:443": false,
	} {
		testkit.Check(t, (check(address, "") == nil) == public, "%s: %v", address, check(address, ""))
	}
}

// A name that resolves to an address of this machine is refused when the connection is made.
func TestDo(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/again", http.StatusFound)
	}))
	defer server.Close()
	do := func(o Options, url string) (*Response, error) {
		r := testkit.Value(http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader("secret")))(t)
		return New(o).Do(r, 10)
	}
	for url, want := range map[string]string{
		server.URL + "/hooks?token=s3cret":                                             "only https",
		"https://" + strings.TrimPrefix(server.URL, "http://") + "/hooks?token=s3cret": "not on the public Internet",
		"https://localhost:1/hooks?token=s3cret":                                       "not on the public Internet",
	} {
		_, err := do(Options{}, url)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "s3cret"), "%s: %v", url, err)
	}
	testkit.Check(t, asked == 0, "the server was asked %d times", asked)
	got, err := do(Options{Private: true}, server.URL)
	testkit.Check(t, err == nil && got.Status == http.StatusFound && asked == 1 && len(got.Body) <= 10, "%+v, %v, asked %d times", got, err, asked)
	server.Close()
	_, err = do(Options{Private: true}, server.URL+"/?token=s3cret")
	testkit.Check(t, err != nil && !strings.Contains(err.Error(), "s3cret"), "%v", err)
}
