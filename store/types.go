package store

import (
	"context"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/stats"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/index/authors"
	"product-comments/store/index/cases"
	"product-comments/store/index/counts"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/index/pages"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/read/shared"
	"product-comments/store/settings/families"
)

// Types of derived data that methods of Store take or return.
type (
	Attribute        = attributestats.Attribute
	AuthoredFilter   = authors.Filter
	Board            = counts.Board
	Bucket           = summary.Bucket
	ByLanguage       = stats.ByLanguage
	Day              = pages.Day
	Family           = families.Family
	Look             = cases.Look
	Month            = cases.Month
	ModerationReport = cases.ModerationReport
	NumberedList     = pages.List
	PageNumbers      = pages.Numbers
	Queue            = cases.Queue
	QueueTotals      = cases.Totals
	Scope            = stats.Scope
	ScoringOptions   = counts.ScoringOptions
	Statistics       = stats.Statistics
	Summary          = summary.Summary
	Tally            = stats.Tally
	Which            = stats.Which
)

// CountOf returns how many values of an attribute of a type a summary has.
func CountOf(t attributes.Type, s Summary) int { return attributestats.Count(t, s) }

// ScoreUnit is the number of a Rank in a Board by score that means a score of 1.
const ScoreUnit = ranking.ScoreUnit

// The dimensions of a plan.Only.
const (
	Text     = stats.Text
	Verified = stats.Verified
	Photos   = stats.Photos

	Incentivized    = stats.Incentivized
	NotIncentivized = stats.NotIncentivized
)

// FilterOf returns the filter that all comments of a family pass.
func FilterOf(f *Family) plan.Filter {
	return plan.Filter{Family: plan.Family{ID: f.ID, Members: key.ProductsOf(f.Products...)}}
}

// Fresh returns a context of calls that read by themselves, without caches; see shared.Fresh.
func Fresh(ctx context.Context) context.Context { return shared.Fresh(ctx) }
