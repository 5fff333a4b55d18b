package main

import "time"

// caches are what stands between page views and the table.
type caches struct {
	name   string
	cdn    bool
	shared bool // identical reads in flight
	page   bool // pages are kept by the server
	counts bool // counts are kept by the server
}

// left returns how many of the requests a second for one thing are passed on
// by caches that each keep it for a while. Requests come at random: after each
// that is passed on, those of the time that it is kept are not.
func left(rate float64, caches int, keep time.Duration) float64 {
	n := float64(caches)
	return rate / (1 + rate/n*keep.Seconds())
}

// toServers returns how many of the views a second of one page the servers see.
func (h caches) toServers(c *config, rate float64) float64 {
	if !h.cdn {
		return rate
	}
	cacheable := rate * c.Traffic.Cacheable
	return rate - cacheable + left(cacheable, c.Traffic.Edges, c.Traffic.MaxAge)
}

// pageReads returns how often a second a page is read from the table for this
// many views a second that the servers see.
func (h caches) pageReads(c *config, rate float64) float64 {
	var keep time.Duration
	if h.shared {
		keep += c.Traffic.Latency
	}
	if h.page {
		keep += c.Traffic.PageCache
	}
	return left(rate, c.Traffic.Servers, keep)
}

// countReads is pageReads for a product's counts.
func (h caches) countReads(c *config, rate float64) float64 {
	if !h.counts {
		return rate
	}
	return left(rate, c.Traffic.Servers, c.Traffic.CountsCache)
}
