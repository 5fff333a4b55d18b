package command

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"

	"product-comments/internal/site/demo"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/store"
	"product-comments/store/settings/families"
)

// reviewsFlags configure the sections that the server renders.
type reviewsFlags struct {
	Reviews string `help:"on serves pages and fragments with the reviews of a product at /reviews/{productId}; off does not." enum:"on,off" default:"on" env:"REVIEWS" placeholder:"on|off"`
	linkFlags
}

// options returns the options of sections, nil for none.
func (f *reviewsFlags) options(withDemo bool) (*reviews.Options, error) {
	if f.Reviews == "off" {
		return nil, nil
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	o := &reviews.Options{Address: f.ReviewsAddress}
	var err error
	if o.Catalogue, err = f.catalogue(); o.Catalogue == nil && withDemo {
		o.Catalogue = reviews.NewCatalogue(demo.Catalogue())
	}
	return o, err
}

// check refuses an address that is no beginning of links.
func (f *linkFlags) check() error {
	u, err := url.Parse(f.ReviewsAddress)
	if f.ReviewsAddress != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Path != "") {
		return fmt.Errorf("--reviews-address is %q: give scheme and host alone, such as https://reviews.shop.example", f.ReviewsAddress)
	}
	return nil
}

// catalogue opens the catalogue, nil for none.
func (f *linkFlags) catalogue() (*reviews.Catalogue, error) {
	if f.Catalogue == "" {
		return nil, nil
	}
	c, err := reviews.OpenCatalogue(f.Catalogue)
	if err != nil {
		return nil, fmt.Errorf("--catalogue: %w", err)
	}
	return c, nil
}

// watchCatalogue follows a catalogue and defines its families.
func watchCatalogue(ctx context.Context, c *reviews.Catalogue, in *families.Families, log *slog.Logger) {
	c.Watch(ctx, log, func(id string, products []string) {
		if err := in.Define(ctx, store.Family{ID: id, Products: products}); err != nil {
			log.WarnContext(ctx, "a family of the catalogue was not defined", "family", id, "error", err)
		}
	})
}

// shop returns the shop of the demo, nil without demo or sections.
func (s *serveCmd) shop() *shop.Shop {
	if !s.Demo || s.Reviews == "off" {
		return nil
	}
	return &shop.Shop{Products: demo.Catalogue()}
}
