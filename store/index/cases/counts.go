package cases

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/derive/pending/names"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// attrCounts is the attribute of an item of counts besides its keys and its index.Head.
const attrCounts = "counts" // M of N: see key.Counted

// counts are numbers of comments in the queue, or a change of them, by key.Counted.
type counts map[string]int

func (c counts) add(name string, n int) {
	if c[name] += n; c[name] == 0 {
		delete(c, name)
	}
}

// part is an item of counts.
type part struct {
	index.Head
	counts
}

func partKey(pk string) index.Key { return index.Key{PK: pk, SK: key.CasesSK} }

func parsePart(it table.Item) (p part, err error) {
	p.counts = counts{}
	if p.Head, err = index.ParseHead(it); err != nil {
		return p, err
	}
	if of, _ := it[attrCounts].(*types.AttributeValueMemberM); of != nil {
		for name := range of.Value {
			if p.counts[name], err = table.Number(of.Value, name); err != nil {
				return p, table.Damaged(it, err)
			}
		}
	}
	return p, nil
}

// atGeneration returns the counts that a generation sees.
func (p part) atGeneration(generation int) counts {
	if p.Generation < generation {
		return counts{}
	}
	return p.counts
}

// Totals are the numbers of comments in the queue.
type Totals struct{ counts }

// Count returns the number of comments in a part of the queue.
func (t Totals) Count(q Queue) (n int) {
	for name, count := range t.counts {
		state, language, reported, ok := key.ParseCounted(name)
		if ok && state == q.State.String() && (q.Language == "" || language == q.Language) &&
			(q.Reported == nil || reported == *q.Reported) {
			n += count
		}
	}
	return n
}

// Counts reads the numbers of comments in the queue: half a read unit for each of its key.CaseParts
// items. The counts follow comments within moments, and include acknowledged writes of this
// process. It returns an Unavailable error if the statistics are not maintained.
func (s *Cases) Counts(ctx context.Context) (Totals, error) {
	all := Totals{counts{}}
	pks := make([]index.Key, key.CaseParts)
	for i := range pks {
		pks[i] = partKey(key.CasePartition(i))
	}
	return all, index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		clear(all.counts)
		parts := map[string]part{}
		err = index.ReadSums(ctx, s.t, pks, false, func(at index.Key, it table.Item) (err error) {
			parts[at.PK], err = parsePart(it)
			return err
		})
		for _, p := range parts {
			newer = newer || p.Generation > now.Generation
			for name, n := range p.atGeneration(now.Generation) {
				all.add(name, n)
			}
		}
		counted := func(product string) names.Set { return parts[key.CasePart(product)].NamesAs(now.Generation) }
		for _, w := range s.pending.UnprojectedInQueue(counted, s.t.Now()) {
			effects(now.Generation, w.Was, w.Is, func(_, name string, n int) { all.add(name, n) })
		}
		// This process may have removed a comment of another process that is not counted yet.
		maps.DeleteFunc(all.counts, func(_ string, n int) bool { return n < 0 })
		return newer, err
	})
}

// Add implements index.Sum.
func (c counts) Add(o index.Sum) {
	for name, n := range o.(counts) {
		c.add(name, n)
	}
}

// IsZero implements index.Sum.
func (c counts) IsZero() bool { return len(c) == 0 }

// Apply implements index.Sum.
func (c counts) Apply(_ context.Context, now settings.Settings, it *index.SumItem) error {
	old, err := parsePart(it.Was)
	if err != nil {
		return err
	}
	sum, members := counts{}, table.Item{}
	maps.Copy(sum, old.atGeneration(now.Generation))
	for name, n := range c {
		if sum.add(name, n); sum[name] < 0 {
			return fmt.Errorf("%s, %s: %w", it.At.PK, name, stats.ErrNegative)
		}
	}
	for name, n := range sum {
		members[name] = table.N(n)
	}
	it.Put, it.Zero = it.At.Item(key.Table), len(sum) == 0
	it.Put[attrCounts] = &types.AttributeValueMemberM{Value: members}
	return nil
}

// Diff implements index.Sum.
func (c counts) Diff(_ context.Context, now settings.Settings, it *index.SumItem) (differences []string, err error) {
	has, err := parsePart(it.Was)
	lacks := counts{}
	maps.Copy(lacks, c)
	for name, n := range has.atGeneration(now.Generation) {
		lacks.add(name, -n)
	}
	for _, name := range slices.Sorted(maps.Keys(lacks)) {
		differences = append(differences, fmt.Sprintf("it counts %d that are %s, the comments are %d", has.counts[name], name, c[name]))
	}
	return differences, err
}

// effects calls each with the effects of a change in a generation: n is the change of a count in
// a part.
func effects(generation int, was, is *item.Stored, each func(pk, name string, n int)) {
	for n, c := range map[int]*item.Stored{-1: was, 1: is} {
		if name := c.QueuedAs(); name != "" && c.Generation >= generation {
			each(key.CasePart(c.ProductID), name, n)
		}
	}
}

// Sums implements index.Sums.
func (s *Cases) Sums(_ context.Context, now settings.Settings, c index.Change) (all []index.Delta, err error) {
	effects(0, c.Was.Comment(), c.Is.Comment(), func(pk, name string, n int) {
		all = append(all, index.Delta{At: partKey(pk), Sum: counts{name: n}, Named: true})
	})
	return append(all, monthly(c.Counted())...), nil
}

// SumOf implements index.Sums.
func (s *Cases) SumOf(it table.Item) (zero index.Delta, ok bool) {
	at := index.KeyOf(it)
	return index.Delta{At: at, Sum: counts{}}, key.IsCasePart(at.PK) || key.IsMonthsPart(at.PK)
}

// Comments implements index.Spread: it calls each with every comment in the queue.
func (s *Cases) Comments(ctx context.Context, pk string, each index.EachItem) error {
	var ids []string
	for state := range item.States {
		for _, in := range (Queue{State: state}).partitions() {
			err := s.t.Each(ctx, in, func(it table.Item) error {
				if id, ok := key.CaseOf(table.Text(it, key.PK)); ok {
					ids = append(ids, id)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	slices.Sort(ids) // a comment whose state changes may be there twice
	return item.EachOf(ctx, s.t, slices.Compact(ids), each)
}

// Name implements index.Index.
func (s *Cases) Name() string { return "moderation queue" }

// Projected implements index.Entries: a comment's entry is written with it.
func (s *Cases) Projected() bool { return false }

// Entries implements index.Entries: the entry of a comment in the queue.
func (s *Cases) Entries(_ context.Context, _ settings.Settings, im *index.Image) ([]index.Entry, error) {
	it := item.Queued(&im.Stored)
	if it == nil {
		return nil, nil
	}
	return []index.Entry{index.EntryFrom(it, "")}, nil
}

// EntryOf implements index.Entries.
func (s *Cases) EntryOf(it table.Item) (of index.Subject, ok bool) {
	of.Comment, _ = key.CaseOf(table.Text(it, key.PK))
	of.Product, ok = item.QueuedOf(it)
	return of, ok
}
