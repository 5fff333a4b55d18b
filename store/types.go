package store

import (
	"context"

	"product-comments/store/attrstats"
	"product-comments/store/authors"
	"product-comments/store/comment/stats"
	"product-comments/store/counts"
	"product-comments/store/pages"
	"product-comments/store/ranking"
	"product-comments/store/read/shared"
	"product-comments/store/summary"
)

// Types of derived data that methods of Store take or return.
type (
	Attribute      = attrstats.Attribute
	AuthoredFilter = authors.Filter
	Board          = counts.Board
	Bucket         = summary.Bucket
	ByLanguage     = stats.ByLanguage
	Day            = pages.Day
	NumberedList   = pages.List
	PageNumbers    = pages.Numbers
	Scope          = stats.Scope
	ScoringOptions = counts.ScoringOptions
	Statistics     = stats.Statistics
	Summary        = summary.Summary
	Tally          = stats.Tally
)

// ScoreUnit is the number of a Rank in a Board by score that means a score of 1.
const ScoreUnit = ranking.ScoreUnit

// The dimensions of a plan.Only.
const (
	Text     = stats.Text
	Verified = stats.Verified
)

// Fresh returns a context of calls that read by themselves, without caches; see shared.Fresh.
func Fresh(ctx context.Context) context.Context { return shared.Fresh(ctx) }
