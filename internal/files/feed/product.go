package feed

import (
	"net/url"
	"slices"
	"strings"
)

// Product is what a catalogue says of a product.
type Product struct{ Name, URL, GTIN, MPN, SKU, Brand string }

// Lacks returns what a product lacks for a feed, empty for nothing: its page's address, and an
// identifier by which Google finds it.
func (p *Product) Lacks() string {
	u, err := url.Parse(p.URL)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return "its url with https"
	case p.GTIN != "" && !isGTIN(p.GTIN):
		return "a gtin whose digits are right"
	case p.GTIN == "" && blank(p.SKU) && (blank(p.MPN) || blank(p.Brand)):
		return "a gtin, a sku, or an mpn with a brand"
	}
	return ""
}

// blank reports whether a feed has nothing of a text.
func blank(text string) bool { return strings.TrimSpace(clean(text)) == "" }

// isGTIN reports whether a text is a GTIN of 8, 12, 13 or 14 digits, the last of which checks the
// others.
func isGTIN(text string) bool {
	if !slices.Contains([]int{8, 12, 13, 14}, len(text)) {
		return false
	}
	sum := 0
	for i := range text {
		d := int(text[len(text)-1-i] - '0')
		if d < 0 || d > 9 {
			return false
		}
		sum += d * (1 + 2*(i%2))
	}
	return sum%10 == 0
}
