package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"

	"product-comments/internal/site/demo"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/store/comment/moderation"
	"product-comments/store/settings/families"
)

// reviewsFlags configure the sections that the server renders.
type reviewsFlags struct {
	Reviews string `help:"on serves pages and fragments with the reviews of a product at /reviews/{productId}; off does not." enum:"on,off" default:"on" env:"REVIEWS" placeholder:"on|off"`
	Policy  string `help:"File with the text that sections show about how reviews are collected and checked, UTF-8 with empty lines between paragraphs, in place of the text that follows from the settings." env:"POLICY" type:"path" placeholder:"FILE"`
	linkFlags
}

// policy returns what sections say about how reviews are collected and checked.
func (s *serveCmd) policy() (p reviews.Policy, err error) {
	if s.Policy == "" {
		post := s.Moderation == moderation.Post.String()
		return reviews.Policy{Before: s.Moderation == moderation.Pre.String(), After: post, Words: s.BlockedWords != "",
			Links: s.HoldLinks, Photos: s.HoldPhotos, Pace: s.AuthorPace > 0, Once: s.OnePerAuthor}, nil
	}
	file, err := os.Open(s.Policy)
	if err != nil {
		return p, fmt.Errorf("--policy: %w", err)
	}
	p.Own, err = reviews.ReadPolicy(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return p, fmt.Errorf("--policy %s: %w", s.Policy, err)
	}
	return p, nil
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
	c.Watch(ctx, log, func(all map[string][]string) {
		in.DefineAll(ctx, all, func(id string, err error) {
			log.WarnContext(ctx, "a family of the catalogue was not defined", "family", id, "error", err)
		})
	})
}

// shop returns the shop of the demo, nil without demo or sections.
func (s *serveCmd) shop() *shop.Shop {
	if !s.Demo || s.Reviews == "off" {
		return nil
	}
	return &shop.Shop{Products: demo.Catalogue()}
}
