package cases

import (
	"context"
	"maps"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// ModerationReport has what became of the comments that were created in some months of UTC, and the
// decisions that moderators made in them. Every comment counts once, also one that was deleted.
type ModerationReport struct {
	From, To     string // the first and the last month
	CreatedCount int
	Ratings      []RatingReport // of each rating
	// DecisionCount, MedianDecisionSeconds and P90DecisionSeconds are as of a Month.
	DecisionCount                             int
	MedianDecisionSeconds, P90DecisionSeconds *int
}

// RatingReport has what the comments of a rating are now. CreatedCount is the sum of the others.
type RatingReport struct {
	Rating, CreatedCount, PublishedCount, PendingCount, RefusedCount int
	WithdrawnCount                                                   int // by their authors, who may also have deleted them
	RemovedCount                                                     int // that the shop deleted
	Refusals                                                         []Refusal
}

// Refusal is the number of refused comments with a code.
type Refusal struct {
	Code  item.Code
	Count int
}

// MostMonths is the number of months of a report at most.
const MostMonths = 120

// ModerationReport reads the report of a product, or of all products if that is empty. It costs half a read
// unit for each 4 KB of the months, and at least one half for each of key.CaseParts parts of all
// products. It returns BadUserInput for months that are none, or an Unavailable error if the statistics
// are not maintained.
func (s *Cases) ModerationReport(ctx context.Context, product, from, to string) (r ModerationReport, err error) {
	if err := validMonths(from, to); err != nil {
		return r, err
	}
	var queries []table.Query
	if product == "" {
		for _, pk := range shopMonths() {
			queries = append(queries, table.Query{Partition: key.Partition{Index: key.Table, Value: pk}, From: from, To: to})
		}
	} else {
		pk, first := key.ProductMonth(product, from)
		_, last := key.ProductMonth(product, to)
		queries = []table.Query{{Partition: key.Partition{Index: key.Table, Value: pk}, From: first, To: last}}
	}
	sums, err := s.readMonths(ctx, queries)
	all := counts{}
	for _, sum := range sums {
		all.Add(sum)
	}
	return reportOf(from, to, all), err
}

func validMonths(from, to string) error {
	first, err := time.Parse("2006-01", from)
	if err != nil {
		return errs.Invalid("from", "%.20q is not a month: write it as 2026-11", from).For(errs.WrongType)
	}
	last, err := time.Parse("2006-01", to)
	switch {
	case err != nil:
		return errs.Invalid("to", "%.20q is not a month: write it as 2026-11", to).For(errs.WrongType)
	case last.Before(first):
		return errs.Invalid("to", "it is before from: exchange them").For(errs.Contradiction)
	}
	if n := 1 + (last.Year()-first.Year())*12 + int(last.Month()-first.Month()); n > MostMonths {
		return errs.Invalid("to", "these are %d months: ask for %d at most", n, MostMonths).For(errs.OutOfRange).Past(n, MostMonths)
	}
	return nil
}

func reportOf(from, to string, sum counts) ModerationReport {
	r := ModerationReport{From: from, To: to, Ratings: make([]RatingReport, 5)}
	refused := make([]map[item.Code]int, len(r.Ratings))
	for i := range r.Ratings {
		r.Ratings[i].Rating, refused[i] = i+1, map[item.Code]int{}
	}
	sum.each(func(rating, n int, state string, code item.Code) {
		of := &r.Ratings[rating-1]
		r.CreatedCount += n
		of.CreatedCount += n
		switch state {
		case item.Published.String():
			of.PublishedCount += n
		case item.Rejected.String():
			of.RefusedCount += n
			refused[rating-1][code] += n
		case item.Withdrawn.String():
			of.WithdrawnCount += n
		case item.Removed.String():
			of.RemovedCount += n
		default:
			of.PendingCount += n
		}
	}, func(_, n int, _ item.Code) { r.DecisionCount += n })
	for i, codes := range refused {
		for _, code := range slices.Sorted(maps.Keys(codes)) {
			r.Ratings[i].Refusals = append(r.Ratings[i].Refusals, Refusal{code, codes[code]})
		}
	}
	r.MedianDecisionSeconds, r.P90DecisionSeconds = sum.quantile(.5), sum.quantile(.9)
	return r
}
