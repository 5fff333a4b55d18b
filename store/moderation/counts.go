package moderation

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pending/names"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// attrCounts is what counts have besides their keys and their index.Head.
const attrCounts = "counts" // M of N: see key.Counted

// counts are how many comments are in the queue, by key.Counted.
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

func partKey(pk string) table.Item { return table.KeyOf(pk, key.CasesSK) }

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

// Totals are how many comments are in the queue.
type Totals struct{ counts }

// Count returns how many are in a part of the queue.
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

// Counts reads how many comments are in the queue: half a read unit for each of its
// key.CaseParts items. They are as recent as the projector, and count what this process wrote and
// was acknowledged. It returns an Unavailable error if the store does not answer, or while the
// statistics are not kept.
func (m *Moderation) Counts(ctx context.Context) (Totals, error) {
	all := Totals{counts{}}
	pks := make([]string, key.CaseParts)
	for i := range pks {
		pks[i] = key.CasePartition(i)
	}
	return all, index.Newest(ctx, m.settings, func(now settings.Settings) (newer bool, err error) {
		clear(all.counts)
		parts, err := m.items().Read(ctx, pks, false)
		for _, p := range parts {
			newer = newer || p.Generation > now.Generation
			for name, n := range p.atGeneration(now.Generation) {
				all.add(name, n)
			}
		}
		counted := func(product string) names.Set { return parts[key.CasePart(product)].NamesAs(now.Generation) }
		for _, w := range m.pending.UnprojectedInQueue(counted, m.t.Now()) {
			effects(now.Generation, w.Was, w.Is, func(_, name string, n int) { all.add(name, n) })
		}
		// Another process's comment that is not counted yet may be taken away by this one.
		maps.DeleteFunc(all.counts, func(_ string, n int) bool { return n < 0 })
		return newer, err
	})
}

// Owns implements index.Index.
func (m *Moderation) Owns(it table.Item) bool { return key.IsCasePart(table.Text(it, key.PK)) }

// items says how counts are kept, by partition key.
func (m *Moderation) items() index.Aggregate[string, part, counts] {
	return index.Aggregate[string, part, counts]{
		Table: m.t, Compare: strings.Compare, Key: partKey,
		Parse: func(_ string, it table.Item) (part, error) { return parsePart(it) },
		Add: func(pk string, old part, change counts, generation int) (table.Item, bool, error) {
			sum, members := counts{}, table.Item{}
			maps.Copy(sum, old.atGeneration(generation))
			for name, n := range change {
				if sum.add(name, n); sum[name] < 0 {
					return nil, false, fmt.Errorf("%s, %s: %w", pk, name, stats.ErrNegative)
				}
			}
			for name, n := range sum {
				members[name] = table.N(n)
			}
			it := partKey(pk)
			it[attrCounts] = &types.AttributeValueMemberM{Value: members}
			return it, len(sum) == 0, nil
		},
		IsZero: func(c counts) bool { return len(c) == 0 },
	}
}

// effects calls each with what a change does in a generation: one comment more or less of
// a name in a part.
func effects(generation int, was, is *item.Stored, each func(pk, name string, n int)) {
	for n, c := range map[int]*item.Stored{-1: was, 1: is} {
		if name := c.QueuedAs(); name != "" && c.Generation >= generation {
			each(key.CasePart(c.ProductID), name, n)
		}
	}
}

func storedOf(image *index.Image) *item.Stored {
	if image == nil {
		return nil
	}
	return &image.Stored
}

// Touches implements index.Index.
func (m *Moderation) Touches(now settings.Settings, c index.Change) (all []index.Key) {
	effects(now.Generation, storedOf(c.Was), storedOf(c.Is), func(pk, _ string, _ int) { all = append(all, index.Key{PK: pk, SK: key.CasesSK}) })
	return all
}

// Flush returns the counts with what changes add and take away.
func (m *Moderation) Flush(ctx context.Context, now settings.Settings,
	changes []index.Change) (writes []table.Write, _ [][]table.Write, err error) {
	writes, err = m.items().Flush(ctx, now.Generation, changes, func(c index.Change, sums map[string]counts) (named []string, _ error) {
		effects(now.Generation, storedOf(c.Was), storedOf(c.Is), func(pk, name string, n int) {
			if sums[pk] == nil {
				sums[pk] = counts{}
			}
			sums[pk].add(name, n)
			named = append(named, pk)
		})
		return named, nil
	})
	return writes, nil, err
}
