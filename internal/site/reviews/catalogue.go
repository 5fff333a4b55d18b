package reviews

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"time"
)

// Entry is the entry of a product in a catalogue.
type Entry struct {
	ProductID string `json:"productId"`
	Name      string `json:"name"`
	URL       string `json:"url,omitempty"`   // of the product's page: http, https or a path
	Image     string `json:"image,omitempty"` // address of a picture
	SKU       string `json:"sku,omitempty"`
	Brand     string `json:"brand,omitempty"`
	GTIN      string `json:"gtin,omitempty"`   // global trade item number, such as an EAN
	MPN       string `json:"mpn,omitempty"`    // the maker's number
	Family    string `json:"family,omitempty"` // id of the family whose comments its section can show
}

// Catalogue is a catalogue of products, read from a file with one JSON object per line.
type Catalogue struct {
	file    string
	changed time.Time
	entries atomic.Pointer[map[string]Entry]
	order   []string // the products, as the file has them
}

// longestLine is the maximum length of a line in bytes.
const longestLine = 64 << 10

// NewCatalogue returns a catalogue with these entries, without a file.
func NewCatalogue(entries []Entry) *Catalogue {
	c := &Catalogue{}
	all := make(map[string]Entry, len(entries))
	for _, e := range entries {
		all[e.ProductID] = e
		c.order = append(c.order, e.ProductID)
	}
	c.entries.Store(&all)
	return c
}

// OpenCatalogue reads a file. Errors name the file and the line.
func OpenCatalogue(file string) (*Catalogue, error) {
	c := &Catalogue{file: file}
	return c, c.read()
}

// read reads the file if it has changed.
func (c *Catalogue) read() error {
	info, err := os.Stat(c.file)
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	if info.ModTime().Equal(c.changed) {
		return nil
	}
	f, err := os.Open(c.file)
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	defer f.Close()
	all, order, lines := map[string]Entry{}, []string(nil), bufio.NewScanner(f)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("%s, line %d is not an object such as {\"productId\":\"42\",\"name\":\"Backpack\"}: %w", c.file, n, err)
		}
		if e.ProductID == "" || e.Name == "" {
			return fmt.Errorf("%s, line %d needs productId and name", c.file, n)
		}
		for field, address := range map[string]string{"url": e.URL, "image": e.Image} {
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
				return fmt.Errorf("%s, line %d: %s is %q: give an address with http or https, or a path", c.file, n, field, address)
			}
		}
		if _, again := all[e.ProductID]; !again {
			order = append(order, e.ProductID)
		}
		all[e.ProductID] = e
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the catalogue %s: %w", c.file, err)
	}
	c.changed, c.order = info.ModTime(), order
	c.entries.Store(&all)
	return nil
}

// readAgain is the time between two checks whether the file has changed.
const readAgain = 10 * time.Second

// Watch calls define with the products of all families, and reads the file again whenever it changes,
// until ctx ends. After an error it keeps the previous entries.
func (c *Catalogue) Watch(ctx context.Context, log *slog.Logger, define func(families map[string][]string)) {
	for defined := (time.Time{}); ; {
		if families := c.families(); defined.IsZero() || !defined.Equal(c.changed) {
			define(families)
		}
		if defined = c.changed; c.file == "" {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(readAgain):
		}
		if err := c.read(); err != nil {
			log.WarnContext(ctx, "the catalogue cannot be read again, its former products stay", "error", err)
		}
	}
}

// Products returns the ids of all products, in order.
func (c *Catalogue) Products() []string { return slices.Sorted(maps.Keys(*c.entries.Load())) }

// families returns the products of each family, as the file has them.
func (c *Catalogue) families() map[string][]string {
	all := map[string][]string{}
	for _, product := range c.order {
		if id := c.Entry(product).Family; id != "" {
			all[id] = append(all[id], product)
		}
	}
	return all
}

// Entry returns the entry of a product; nil for none.
func (c *Catalogue) Entry(product string) *Entry {
	e, ok := (*c.entries.Load())[product]
	if !ok {
		return nil
	}
	return &e
}
