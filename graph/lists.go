package graph

import (
	"product-comments/store/orders"
	"product-comments/store/stats"
)

// length is how long a list is whose length no argument bounds.
type length struct {
	usual int // how long it is when it is priced: most lists are not longer
	kept  int // what memory is kept for before it is known: hardly any are longer
}

// lengths are those of all such lists, by type and field. What a list has beyond them is
// counted while the answer is made: see answer.Meter.
var lengths = map[string]length{
	"Product.attributes":                  {10, 40},
	"Comment.attributes":                  {10, 40},
	"AttributeDefinition.labels":          {5, 40},
	"AttributeDefinition.choices":         {10, 40},
	"AttributeChoice.labels":              {5, 40},
	"AttributeStats.histogram":            {10, 40},
	"AttributeStats.choices":              {10, 40},
	"DefineAttributesPayload.definitions": {10, 40},
	"DefineAttributesPayload.unconverted": {10, 40},

	"ProductStats.ratingCounts":   {5, 5},
	"ProductStats.languageCounts": {10, stats.MaxListed},
	"LanguageCount.ratingCounts":  {5, 5},
	"CommentFacets.ratings":       {5, 5},
	"CommentFacets.languages":     {10, stats.MaxListed},

	"Comment.reports":                  {10, 40},
	"Comment.history":                  {10, 40},
	"ModerationQueueConnection.counts": {4, 4},
	"Order.lines":                      {5, orders.MaxLines},

	"QueryPlan.partitions":    {5, plannedPartitions},
	"QueryPlan.skipped":       {5, plannedPartitions},
	"QueryPlan.rejected":      {5, 20},
	"QueryPlan.lines":         {20, 2 * plannedPartitions},
	"PlanPartition.filter":    {5, 5},
	"PlanPartition.languages": {5, plannedLanguages},
}

// A page is of so many languages at the most, with their regions, and of the five
// ratings of each.
const (
	plannedLanguages  = 30
	plannedPartitions = 5 * plannedLanguages
)
