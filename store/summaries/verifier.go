package summaries

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/summary"
)

// Verifiers compares summaries with the comments, each of which it reads by itself:
// indexes do not carry attributes.
func (s *Summaries) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{index.Recount[Key, stored, map[string]summary.Summary]{
		Aggregate: s.items(), About: "product",
		KeyOf: keyOf, Subject: func(at Key) string { return at.ProductID }, CountedIn: index.Published,
		Count: func(ctx context.Context, sums map[Key]map[string]summary.Summary, c *item.Stored) error {
			values, err := s.Change(ctx, nil, c)
			deltas(sums).add(c.ProductID, values)
			return err
		},
		Sum: func(read stored) map[string]summary.Summary { return read.byAttribute },
		Print: func(at Key, sum map[string]summary.Summary) (print stats.Print) {
			for attribute, s := range sum {
				print = print.Plus(s.Print(key.SummariesSK(at.Part, at.Language) + "\x00" + attribute))
			}
			return print
		},
		Comments: func(ctx context.Context, product string, each index.EachItem) error {
			return item.EachWhole(ctx, s.t, product, each)
		},
		Partition: key.Product,
		Name:      func(at Key) string { return key.SummariesSK(at.Part, at.Language) },
		Diff:      diff,
	}.Verify(now, share)}
}

// diff lists the differences between stored summaries and the ones computed from comments.
func diff(_ Key, has stored, want map[string]summary.Summary) (differences []string) {
	for _, attribute := range union(has.byAttribute, want) {
		if a, b := has.byAttribute[attribute], want[attribute]; !a.Same(b) {
			differences = append(differences,
				fmt.Sprintf("of attribute %q it counts %s, the comments have %s", attribute, spell(a), spell(b)))
		}
	}
	return differences
}

func union(a, b map[string]summary.Summary) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]summary.Summary{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func spell(s summary.Summary) string {
	return fmt.Sprintf("%d numbers with the sum %s, choices %v, %d others, %v", s.Numbers, s.Sum, s.Choices, s.Others,
		s.Histogram())
}
