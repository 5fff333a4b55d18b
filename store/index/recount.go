package index

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Recount configures the Verifier of an Aggregate. During a scan the Verifier holds for each
// subject a print of the comments' sums minus the print of its items, since the sums of a whole
// table do not fit into memory. A candidate is recounted and compared item by item.
type Recount[K comparable, I interface{ head() Head }, D any] struct {
	Aggregate[K, I, D]
	About string // what subjects are: product, or user

	// KeyOf returns the key of an item of the aggregate; ok is false for any other item.
	KeyOf func(table.Item) (of K, ok bool)
	// Subject returns the subject of a key.
	Subject func(K) string
	// CountedIn returns the subject that a comment counts in; "" for none.
	CountedIn func(*item.Stored) string
	// Count adds a comment to sums, whatever its generation.
	Count func(ctx context.Context, sums map[K]D, comment *item.Stored) error
	// Sum returns what an item counts.
	Sum func(I) D
	// Print returns the print of a sum. That both have the same must mean that Diff finds
	// nothing, but for the bound.
	Print func(of K, sum D) stats.Print
	// Bound returns what the sum of an item must be at least as large as that of its
	// comments is; nil if there is nothing like it.
	Bound func(D) int
	// Wrong describes an inconsistency within an item, "" if there is none. A nil Wrong finds
	// none.
	Wrong func(of K, read I, it table.Item) string

	// Comments calls each with the comments of a subject that there are now. Others are
	// ignored.
	Comments func(ctx context.Context, subject string, each EachItem) error
	// Partition returns where the items of a subject are, perhaps with others.
	Partition func(subject string) string
	// Name returns how differences name an item.
	Name func(K) string
	// Diff lists in what an item, or none, differs from the sum of its comments.
	Diff func(of K, has I, comments D) []string
}

// Verify returns the comparison of the aggregate with the comments, for a share of the
// table.
func (of Recount[K, I, D]) Verify(now settings.Settings, share *Share) Verifier {
	return &recount[K, I, D]{Held: NewHeld[recounted](share), of: of, generation: now.Generation, share: share}
}

type recount[K comparable, I interface{ head() Head }, D any] struct {
	*Held[recounted]
	of         Recount[K, I, D]
	generation int
	share      *Share
}

// recounted is what the scan saw of a subject.
type recounted struct {
	print  stats.Print       // of the comments minus the items
	wrong  bool              // an item is invalid, or only a recount can decide
	bounds map[string]bounds // by the name of the item
}

// bounds are the largest of the comments of an item, and what it has room for.
type bounds struct{ most, room int }

// Bytes implements Holding.
func (r recounted) Bytes() int {
	const subject, bound = 100, 100
	held := r.wrong || r.print != 0
	for _, b := range r.bounds {
		if held {
			break
		}
		held = b.most > b.room
	}
	if !held {
		return 0
	}
	return subject + len(r.bounds)*bound
}

// About implements Verifier.
func (v *recount[K, I, D]) About() string { return v.of.About }

// Count implements Verifier: there are as many items as there is to count.
func (v *recount[K, I, D]) Count() (string, int64) { return "", 0 }

// Observe implements Verifier.
func (v *recount[K, I, D]) Observe(ctx context.Context, it table.Item, comment *item.Stored) error {
	if comment != nil {
		subject, sums := v.of.CountedIn(comment), map[K]D{}
		if subject == "" || !v.share.Has(subject) {
			return nil
		}
		if err := v.of.Count(ctx, sums, comment); err != nil || len(sums) == 0 {
			return err
		}
		v.Change(subject, func(r *recounted) {
			for k, sum := range sums {
				r.print = r.print.Plus(v.of.Print(k, sum))
				v.bound(r, k, func(b *bounds) { b.most = max(b.most, v.of.Bound(sum)) })
			}
		})
		return nil
	}
	k, ok := v.of.KeyOf(it)
	if !ok || !v.share.Has(v.of.Subject(k)) {
		return nil
	}
	has, wrong, err := v.read(k, it, v.generation)
	if err != nil {
		return err
	}
	sum := v.of.Sum(has)
	v.Change(v.of.Subject(k), func(r *recounted) {
		r.print = r.print.Minus(v.of.Print(k, sum))
		r.wrong = r.wrong || len(wrong) > 0
		v.bound(r, k, func(b *bounds) { b.room = v.of.Bound(sum) })
	})
	return nil
}

// read reads an item as a generation sees it, in which one of an older generation counts
// nothing, and returns what is wrong with it by itself.
func (v *recount[K, I, D]) read(of K, it table.Item, generation int) (has I, wrong []string, err error) {
	read, err := v.of.Parse(of, it)
	if err != nil {
		return has, nil, err
	}
	if v.of.Wrong != nil {
		if what := v.of.Wrong(of, read, it); what != "" {
			wrong = append(wrong, what)
		}
	}
	if read.head().Generation < generation {
		return has, append(wrong, "it is obsolete, of before the last rebuild"), nil
	}
	return read, wrong, nil
}

// bound changes the bounds of an item.
func (v *recount[K, I, D]) bound(r *recounted, of K, change func(*bounds)) {
	if v.of.Bound == nil {
		return
	}
	if r.bounds == nil {
		r.bounds = map[string]bounds{}
	}
	name := v.of.Name(of)
	b := r.bounds[name]
	change(&b)
	r.bounds[name] = b
}

// Diff implements Verifier.
func (v *recount[K, I, D]) Diff(ctx context.Context, now settings.Settings,
	subject string) (differences []string, err error) {
	sums := map[K]D{}
	err = v.of.Comments(ctx, subject, func(_ table.Item, comment *item.Stored) error {
		if v.of.CountedIn(comment) != subject {
			return nil
		}
		return v.of.Count(ctx, sums, comment)
	})
	if err != nil {
		return nil, err
	}
	differ := func(of K, what ...string) {
		for _, what := range what {
			differences = append(differences, v.of.Name(of)+": "+what)
		}
	}
	items := []key.Partition{{Index: key.Table, Value: v.of.Partition(subject)}}
	err = EachIn(ctx, v.of.Table, items, func(it table.Item, _ *item.Stored) error {
		k, ok := v.of.KeyOf(it)
		if !ok || v.of.Subject(k) != subject {
			return nil
		}
		has, wrong, err := v.read(k, it, now.Generation)
		if err != nil {
			return err
		}
		differ(k, append(wrong, v.of.Diff(k, has, sums[k])...)...)
		delete(sums, k)
		return nil
	})
	for _, k := range slices.SortedFunc(maps.Keys(sums), v.of.Compare) {
		var none I
		differ(k, v.of.Diff(k, none, sums[k])...)
	}
	return differences, err
}
