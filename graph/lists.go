package graph

import (
	"product-comments/store/attributes"
	"product-comments/store/moderation"
	"product-comments/store/orders"
	"product-comments/store/stats"
	"product-comments/store/summary"
)

// length is how long a list is whose length no argument bounds.
type length struct {
	usual int // what it costs: most lists are not longer
	most  int // what memory is kept for
}

// lengths are those of all such lists, by type and field. What a list has beyond its
// usual length is charged while the answer is made: see Work.
var lengths = map[string]length{
	"Product.attributes":                  {10, attributes.MaxDefinitions},
	"Comment.attributes":                  {10, attributes.MaxValues},
	"AttributeDefinition.labels":          {5, attributes.MaxLabels},
	"AttributeDefinition.choices":         {10, attributes.MaxOptions},
	"AttributeChoice.labels":              {5, attributes.MaxLabels},
	"AttributeStats.histogram":            {10, summary.MostBuckets},
	"AttributeStats.choices":              {10, attributes.MaxOptions},
	"DefineAttributesPayload.definitions": {10, attributes.MaxDefinitions},
	"DefineAttributesPayload.unconverted": {10, attributes.MaxDefinitions},

	"ProductStats.ratingCounts":   {5, 5},
	"ProductStats.languageCounts": {10, stats.MaxListed},
	"LanguageCount.ratingCounts":  {5, 5},
	"CommentFacets.ratings":       {5, 5},
	"CommentFacets.languages":     {10, stats.MaxListed},

	"Comment.reports":                  {10, moderation.CaseItems},
	"Comment.history":                  {10, moderation.CaseItems},
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
