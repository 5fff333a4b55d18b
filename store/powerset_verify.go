package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/key"
)

// fingerprint stands for what a copy shows of a comment. It is short, because
// a verification holds it for every copy of a product.
func fingerprint(c *Comment) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q %q %q %q %x %d %v %v", c.Position().SortKey(), c.Rating, c.Language, c.Title, c.Text, c.Author, c.packed, c.Version, c.UpdatedAt.UTC(), c.TextElsewhere))
	return string(sum[:12])
}

// compareCopies compares the copies of a product's comments, in the partitions
// where some were seen, with those that there should be.
func (s *Store) compareCopies(ctx context.Context, product string, want map[string]map[string]bool, seen map[string]bool, differ func(string, ...any)) error {
	partitions := map[string]bool{}
	maps.Copy(partitions, seen)
	for pk := range want {
		partitions[pk] = true
	}
	for _, pk := range slices.Sorted(maps.Keys(partitions)) {
		missing := maps.Clone(want[pk])
		extra, wrong := 0, 0
		err := s.eachItem(ctx, key.Partition{Index: key.Table, Value: pk}, func(it item) error {
			c, err := commentOf(it, product)
			if err != nil {
				return damagedItem(it, err)
			}
			switch f := fingerprint(&c); {
			case missing[f]:
				delete(missing, f)
			case want[pk][f]:
				wrong++
			default:
				extra++
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(missing) > 0 || extra > 0 || wrong > 0 {
			differ("copies in %s: %d are missing or outdated, %d do not belong there", pk, len(missing), extra+wrong)
		}
	}
	return nil
}
