// Package attributefilter says which comments a list by attributes shows, and in which order: it
// checks filters and orders by attributes, prices them for the planner, and reads the indexes of a
// list, with an overlay of this server's own writes that may not be projected yet.
// All methods that call the store return an Unavailable error if the store does not answer.
package attributefilter

import (
	"product-comments/store/derive/pending"
	"product-comments/store/index/attributeorder"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/counts"
	"product-comments/store/read/cache"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/table"
)

// Lists reads the lists of a table's comments. It is safe for concurrent use.
type Lists struct {
	t           *table.Table
	settings    *settings.Store
	definitions *definitions.Store
	index       *attributeorder.Index
	stats       *attributestats.Statistics
	counts      *counts.Statistics
	pending     *pending.Log
	projected   cache.Flights[string, shared.Outcome[struct{}]] // reads of the names of projected writes, by product
	known       *cache.Recent[attributestats.Attribute, knownSummary]
}

// New returns the lists of a table. The log has this process's pending writes.
func New(t *table.Table, s *settings.Store, d *definitions.Store, index *attributeorder.Index,
	stats *attributestats.Statistics, counts *counts.Statistics, log *pending.Log) *Lists {
	return &Lists{t: t, settings: s, definitions: d, index: index, stats: stats, counts: counts, pending: log,
		known: cache.NewRecent[attributestats.Attribute, knownSummary](knownSummaries, nil)}
}
