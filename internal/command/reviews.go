package command

import (
	"fmt"
	"net/url"

	"product-comments/internal/site/demo"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
)

// reviewsFlags configure the sections that the server renders.
type reviewsFlags struct {
	Reviews        string `help:"on serves pages and fragments with the reviews of a product at /reviews/{productId}; off does not." enum:"on,off" default:"on" env:"REVIEWS" placeholder:"on|off"`
	ReviewsAddress string `help:"Where clients reach this server, such as https://reviews.shop.example, for fragments in pages of other servers. The default is links without a host, for a proxy that serves both." env:"REVIEWS_ADDRESS" placeholder:"URL"`
	Catalogue      string `help:"A file of products for search engines, an object a line: productId, name, and optionally url, image, sku and brand. It is read again when it changes." type:"path" env:"CATALOGUE" placeholder:"FILE"`
}

// options returns the options of sections, nil for none.
func (f *reviewsFlags) options(withDemo bool) (*reviews.Options, error) {
	if f.Reviews == "off" {
		return nil, nil
	}
	u, err := url.Parse(f.ReviewsAddress)
	if f.ReviewsAddress != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Path != "") {
		return nil, fmt.Errorf("--reviews-address is %q: give scheme and host alone, such as https://reviews.shop.example", f.ReviewsAddress)
	}
	o := &reviews.Options{Address: f.ReviewsAddress}
	switch {
	case f.Catalogue != "":
		if o.Catalogue, err = reviews.OpenCatalogue(f.Catalogue); err != nil {
			return nil, fmt.Errorf("--catalogue: %w", err)
		}
	case withDemo:
		o.Catalogue = reviews.NewCatalogue(demo.Catalogue())
	}
	return o, nil
}

// shop returns the shop of the demo, nil without demo or sections.
func (s *serveCmd) shop() *shop.Shop {
	if !s.Demo || s.Reviews == "off" {
		return nil
	}
	return &shop.Shop{Products: demo.Catalogue()}
}
