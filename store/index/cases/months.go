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
// decisions in the month in which they were made.
const (
	createdName = "c%d/%s" // comments by rating and state
	decidedName = "d%d/%s" // decisions by rating, and code of a refusal
	waitedName  = "w"      // decisions by class of the time until them
)

// monthly returns the changes of counts by month.
func monthly(was, is *item.Stored) (all []index.Delta) {
	if was != nil && is != nil && was.ProductID == is.ProductID && was.CreatedAt.Equal(is.CreatedAt) &&
		was.Rating == is.Rating && was.State == is.State && was.Decided == is.Decided {
		return nil
	}
	by := map[index.Key]counts{}
	for n, c := range map[int]*item.Stored{-1: was, 1: is} {
		if c == nil {
			continue
		}
		add := func(month, name string) {
			at := index.Key{PK: key.MonthsPart(c.ProductID), SK: month}
			if by[at] == nil {
				by[at] = counts{}
			}
			by[at].add(name, n)
		}
		add(item.MonthOf(c.CreatedAt), fmt.Sprintf(createdName, c.Rating, c.State))
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

// Global implements index.Global: counts by month are of all products.
func (s *Cases) Global() (pks []string) {
	for n := range key.CaseParts {
		pks = append(pks, key.MonthsPartition(n))
	}
	return pks
}

// Month has the comments that were created in a month of UTC, and the decisions that moderators made
// in it, without comments that were deleted.
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
	all, at := make([]Month, most), map[string]int{}
	sums := make([]counts, most)
	now := s.t.Now().UTC()
	for i := range all {
		all[i].Month = item.MonthOf(time.Date(now.Year(), now.Month()-time.Month(i), 1, 0, 0, 0, 0, time.UTC))
		at[all[i].Month] = i
	}
	if most == 0 {
		return all, nil
	}
	err := index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		found := make([][]table.Item, key.CaseParts)
		reading, ctx := errgroup.WithContext(ctx)
		for n, pk := range s.Global() {
			q := table.Query{Partition: key.Partition{Index: key.Table, Value: pk}, From: all[most-1].Month, To: all[0].Month}
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
		for i := range sums {
			sums[i] = counts{}
		}
		for _, it := range slices.Concat(found...) {
			p, err := parsePart(it)
			if err != nil {
				return false, err
			}
			newer = newer || p.Generation > now.Generation
			if i, ok := at[table.Text(it, key.SK)]; ok {
				sums[i].Add(p.atGeneration(now.Generation))
			}
		}
		return newer, nil
	})
	for i, sum := range sums {
		all[i].count(sum)
	}
	return all, err
}

// count sets the numbers of a month from its counts.
func (m *Month) count(sum counts) {
	m.Ratings = make([]RatingMonth, 5)
	waited, stars := map[int]int{}, 0
	for i := range m.Ratings {
		m.Ratings[i].Rating = i + 1
	}
	for name, n := range sum {
		if class, ok := strings.CutPrefix(name, waitedName); ok {
			c, _ := strconv.Atoi(class)
			waited[c] += n
			continue
		}
		what, of, _ := strings.Cut(name, "/")
		rating, _ := strconv.Atoi(what[1:])
		r := &m.Ratings[max(1, min(rating, 5))-1]
		switch {
		case what[:1] == createdName[:1]:
			r.CreatedCount += n
			m.CreatedCount += n
			stars += n * rating
			if of == item.Withdrawn.String() {
				m.WithdrawnCount += n
			}
		case of == "":
			r.PublishedCount += n
			m.DecisionCount += n
		default:
			r.RefusedCount += n
			m.DecisionCount += n
		}
	}
	if m.CreatedCount > 0 {
		m.AverageRating = new(float64(stars) / float64(m.CreatedCount))
	}
	m.MedianDecisionSeconds, m.P90DecisionSeconds = quantile(waited, .5), quantile(waited, .9)
}

// quantile returns the seconds that a part of some waited at most, by class; nil without any.
func quantile(waited map[int]int, part float64) *int {
	total, classes := 0, []int(nil)
	for class, n := range waited {
		total, classes = total+n, append(classes, class)
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
