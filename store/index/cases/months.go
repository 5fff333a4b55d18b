package cases

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Names of the counts of a month. They count comments in the month in which they were created, and
// decisions in the month in which they were made. Comments that were deleted count as what
// item.Deleted left of them.
const (
	createdName = "c%d/%s" // comments by rating and state, and code of a refusal
	decidedName = "d%d/%s" // decisions by rating, and code of a refusal
	waitedName  = "w"      // decisions by class of the time until them
)

// monthly returns the changes of counts by month.
func monthly(was, is *item.Stored) (all []index.Delta) {
	if was != nil && is != nil && was.ProductID == is.ProductID && was.CreatedAt.Equal(is.CreatedAt) &&
		was.Rating == is.Rating && stateOf(was) == stateOf(is) && was.Decided == is.Decided {
		return nil
	}
	by := map[index.Key]counts{}
	for n, c := range map[int]*item.Stored{-1: was, 1: is} {
		if c == nil {
			continue
		}
		add := func(month, name string) {
			ofProduct, sk := key.ProductMonth(c.ProductID, month)
			for _, at := range []index.Key{{PK: key.MonthsPart(c.ProductID), SK: month}, {PK: ofProduct, SK: sk}} {
				if by[at] == nil {
					by[at] = counts{}
				}
				by[at].add(name, n)
			}
		}
		add(item.MonthOf(c.CreatedAt), fmt.Sprintf(createdName, c.Rating, stateOf(c)))
		for _, d := range c.Decided.All() {
			add(d.Month, fmt.Sprintf(decidedName, d.Rating, d.Code))
			if d.Waited != "" {
				add(d.Month, waitedName+d.Waited)
			}
		}
	}
	for at, sum := range by {
		if !sum.IsZero() {
			all = append(all, index.Delta{At: at, Sum: sum})
		}
	}
	return all
}

// stateOf returns the name of a comment's state, with the code of a refusal.
func stateOf(c *item.Stored) string {
	if c.State == item.Rejected {
		return c.State.String() + "/" + string(cmp.Or(c.Code, item.Other))
	}
	return c.State.String()
}

// Global implements index.Global: counts by month are of all products, or of one of them whose
// comments no partition has.
func (s *Cases) Global() []string { return append(shopMonths(), key.ProductMonths()...) }

func shopMonths() (pks []string) {
	for n := range key.CaseParts {
		pks = append(pks, key.MonthsPartition(n))
	}
	return pks
}

// Month has the comments that were created in a month of UTC, also deleted ones, and
// the decisions that moderators made in it.
type Month struct {
	Month                                       string // such as 2026-11
	CreatedCount, WithdrawnCount, DecisionCount int
	AverageRating                               *float64 // nil without comments
	// MedianDecisionSeconds and P90DecisionSeconds are of the times that comments waited, within a
	// tenth; nil if none did.
	MedianDecisionSeconds, P90DecisionSeconds *int
	Ratings                                   []RatingMonth // of each rating
}

// RatingMonth has the comments of a rating that were created in a month, and the decisions about
// comments that had it then.
type RatingMonth struct{ Rating, CreatedCount, PublishedCount, RefusedCount int }

// Months reads the newest months, the newest first, also those without comments. It costs half a read
// unit for each key.CaseParts part, and for each 4 KB of the months in it: up to ten years. The counts
// follow comments within moments. It returns an Unavailable error if the statistics are not maintained.
func (s *Cases) Months(ctx context.Context, most int) ([]Month, error) {
	all := make([]Month, most)
	now := s.t.Now().UTC()
	for i := range all {
		all[i].Month = item.MonthOf(time.Date(now.Year(), now.Month()-time.Month(i), 1, 0, 0, 0, 0, time.UTC))
	}
	if most == 0 {
		return all, nil
	}
	var queries []table.Query
	for _, pk := range shopMonths() {
		queries = append(queries, table.Query{Partition: key.Partition{Index: key.Table, Value: pk}, From: all[most-1].Month, To: all[0].Month})
	}
	sums, err := s.readMonths(ctx, queries)
	for i := range all {
		all[i].count(sums[all[i].Month])
	}
	return all, err
}

// readMonths returns the sums of the items of queries by month.
func (s *Cases) readMonths(ctx context.Context, queries []table.Query) (sums map[string]counts, err error) {
	return sums, index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		found := make([][]table.Item, len(queries))
		reading, ctx := errgroup.WithContext(ctx)
		for n, q := range queries {
			reading.Go(func() error {
				for it, err := range s.t.All(ctx, q) {
					if err != nil {
						return err
					}
					found[n] = append(found[n], it)
				}
				return nil
			})
		}
		if err := reading.Wait(); err != nil {
			return false, err
		}
		sums = map[string]counts{}
		for _, it := range slices.Concat(found...) {
			p, err := parsePart(it)
			if err != nil {
				return false, err
			}
			newer = newer || p.Generation > now.Generation
			month := key.MonthOf(table.Text(it, key.SK))
			if sums[month] == nil {
				sums[month] = counts{}
			}
			sums[month].Add(p.atGeneration(now.Generation))
		}
		return newer, nil
	})
}

// count sets the numbers of a month from its counts.
func (m *Month) count(sum counts) {
	m.Ratings = make([]RatingMonth, 5)
	stars := 0
	for i := range m.Ratings {
		m.Ratings[i].Rating = i + 1
	}
	sum.each(func(rating, n int, state string, code item.Code) {
		m.Ratings[rating-1].CreatedCount += n
		m.CreatedCount += n
		stars += n * rating
		if state == item.Withdrawn.String() {
			m.WithdrawnCount += n
		}
	}, func(rating, n int, code item.Code) {
		m.DecisionCount += n
		if code == "" {
			m.Ratings[rating-1].PublishedCount += n
		} else {
			m.Ratings[rating-1].RefusedCount += n
		}
	})
	if m.CreatedCount > 0 {
		m.AverageRating = new(float64(stars) / float64(m.CreatedCount))
	}
	m.MedianDecisionSeconds, m.P90DecisionSeconds = sum.quantile(.5), sum.quantile(.9)
}

// each calls created for the counts of comments, and decided for those of decisions.
func (c counts) each(created func(rating, n int, state string, code item.Code), decided func(rating, n int, code item.Code)) {
	for name, n := range c {
		what, of, _ := strings.Cut(name, "/")
		rating, _ := strconv.Atoi(what[1:])
		rating = max(1, min(rating, 5))
		switch what[:1] {
		case createdName[:1]:
			state, code, _ := strings.Cut(of, "/")
			created(rating, n, state, item.Code(code))
		case decidedName[:1]:
			decided(rating, n, item.Code(of))
		}
	}
}

// quantile returns the seconds that a part of the comments waited at most; nil without any.
func (c counts) quantile(part float64) *int {
	waited, total, classes := map[int]int{}, 0, []int(nil)
	for name, n := range c {
		if of, ok := strings.CutPrefix(name, waitedName); ok {
			class, _ := strconv.Atoi(of)
			waited[class], total, classes = n, total+n, append(classes, class)
		}
	}
	slices.SortFunc(classes, cmp.Compare)
	rank := int(math.Ceil(part * float64(total)))
	for _, class := range classes {
		if rank -= waited[class]; rank <= 0 {
			return new(item.WaitSeconds(class))
		}
	}
	return nil
}
