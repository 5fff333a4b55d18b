package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"product-comments/internal/files/feed"
	"product-comments/internal/files/transfer"
	"product-comments/internal/site/reviews"
	"product-comments/store"
	"product-comments/store/key/photo"
)

// feedFlags configure export --format google-reviews.
type feedFlags struct {
	keyFlags
	linkFlags
	Publisher string `help:"With --format google-reviews: the name of the shop, which Google shows." placeholder:"NAME"`
	Output    string `help:"With --format google-reviews: the file to write, compressed if its name ends in .gz. Above 100 MB, Google's limit, the rest is in FILE-2 and so on. The files are replaced when all are written, and files of a longer former feed are removed. The default is standard output, uncompressed and for one file." type:"path" placeholder:"FILE"`
	PhotosURL string `help:"With --format google-reviews: where clients reach the photos, as serve's --photos-url has it. The default is --reviews-address; without both the feed has no photos." name:"photos-url" env:"PHOTOS_URL" placeholder:"URL"`
}

// checkFeed refuses flags that a feed lacks, or has no use for.
func (e *exportCmd) checkFeed() error {
	switch {
	case e.Format != formatGoogle && (e.Publisher != "" || e.Output != ""):
		return errors.New("--publisher and --output need --format google-reviews")
	case e.Format != formatGoogle:
		return nil
	case e.Orders || e.Unpublished || e.Definitions != "" || e.Photos != "":
		return errors.New("--format google-reviews excludes --orders, --unpublished, --definitions and --photos: a feed has published comments, and addresses of photos")
	case e.Catalogue == "" || strings.TrimSpace(e.Publisher) == "":
		return errors.New("--format google-reviews needs --catalogue, a file with the products and their identifiers, and --publisher, the name of the shop")
	}
	return nil
}

// feed writes the feed of the products of the catalogue, or of the named ones.
func (e *exportCmd) feed(ctx context.Context, opened *openStore, log *slog.Logger) error {
	catalogue, err := e.catalogue()
	if err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	secrets, err := e.need(&e.storeFlags)
	if err != nil {
		return err
	}
	files := feed.To(os.Stdout)
	if e.Output != "" {
		files = feed.NewFiles(e.Output)
		if err := files.Check(); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	o := feed.Options{Publisher: e.Publisher, Secret: secrets[0], Files: files}
	if e.PhotosURL != "" || e.ReviewsAddress != "" {
		addresses, err := photo.NewAddresses(e.ReviewsAddress, e.PhotosURL, secrets...)
		if err != nil {
			return err
		}
		o.Photo = func(p store.Photo) string {
			renditions := photo.Renditions(p.Width)
			return addresses.URL(p.ID, renditions[len(renditions)-1])
		}
	}
	n, err := e.writeFeed(ctx, opened.Store, catalogue, o, log)
	if err != nil {
		files.Discard()
		return err
	}
	for _, name := range files.Removed {
		log.Warn("the former feed was longer: its file is removed", "file", name)
	}
	log.Info("exported", "comments", n, "files", max(1, len(files.Names())))
	if names := files.Names(); e.Output != "" && len(names) > 1 {
		log.Warn("the feed is longer than 100 MB: give Google each of its files", "files", names)
	}
	return nil
}

// writeFeed writes the feed, and reports what is left out.
func (e *exportCmd) writeFeed(ctx context.Context, st *store.Store, catalogue *reviews.Catalogue, o feed.Options, log *slog.Logger) (n int, err error) {
	w, err := feed.New(o)
	if err != nil {
		return 0, err
	}
	products := slices.Compact(slices.Sorted(slices.Values(e.Product))) // a review may not come twice
	if len(products) == 0 {
		products = catalogue.Products()
	}
	without := 0
	for _, id := range products {
		entry := catalogue.Entry(id)
		if entry == nil {
			log.Warn("a product is left out: the catalogue lacks it", "product", id)
			continue
		}
		p := &feed.Product{Name: entry.Name, URL: entry.URL, GTIN: entry.GTIN, MPN: entry.MPN, SKU: entry.SKU, Brand: entry.Brand}
		if lacks := p.Lacks(); lacks != "" {
			log.Warn("a product is left out: the catalogue lacks "+lacks, "product", id)
			continue
		}
		err := transfer.EachPublished(ctx, st, id, func(c *store.Comment) error {
			added, err := w.Add(c, p)
			if added {
				n++
			} else if err == nil {
				without++
			}
			return err
		})
		if err != nil {
			return n, fmt.Errorf("export product %s: %w", id, err)
		}
	}
	if without > 0 {
		log.Warn("comments without title and text are left out: Google wants words", "comments", without)
	}
	return n, w.Close()
}
