package gate

import (
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

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
		"https://shop.example:443":   "goes without saying",
		"http://shop.example:80":     "goes without saying",
		"https://bücher.example":     "xn--",
		"https://*.*.shop.example":   "where none is understood",
		"https://shop.*":             "where none is understood",
		"https://*shop.example":      "where none is understood",
		"https://shop.example:80*":   "where none is understood",
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
