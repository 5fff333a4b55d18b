package main

import "product-comments/store/key"

// view is a kind of page view, all of the same page.
type view struct {
	name     string
	share    float64 // of all page views
	language string  // whose counts it shows; empty for those of any
	// reads are the partitions that the page is read from, of a product.
	reads func(product string) []key.Partition
}

// filters are how those who filter do so. Shares are of them.
var filters = []view{
	{"language en", 0.30, "en", func(p string) []key.Partition { return []key.Partition{key.PartitionByLang(p, "en")} }},
	{"en, ratings 4 and 5", 0.25, "en", func(p string) []key.Partition {
		return []key.Partition{key.PartitionByLangAndRating(p, "en", 4), key.PartitionByLangAndRating(p, "en", 5)}
	}},
	{"rating 1", 0.25, "", func(p string) []key.Partition { return []key.Partition{key.PartitionByRating(p, 1)} }},
	{"ratings 1, 4 and 5", 0.20, "", func(p string) []key.Partition {
		return []key.Partition{key.PartitionByRating(p, 1), key.PartitionByRating(p, 4), key.PartitionByRating(p, 5)}
	}},
}

// firstPages are the kinds of views of first pages, with shares of all views.
func (c *config) firstPages() []view {
	views := []view{{"first page", c.Traffic.FirstPage, "", func(p string) []key.Partition { return []key.Partition{key.PartitionAll(p)} }}}
	for _, f := range filters {
		f.share *= 1 - c.Traffic.FirstPage - c.Traffic.DeepPages
		views = append(views, f)
	}
	return views
}

// pageUnits returns the read units of one partition of a page that is read
// from so many.
func (c *config) pageUnits(partitions int) float64 {
	if partitions > 1 {
		return c.Units.MergeUnits
	}
	return c.Units.PageUnits
}
