package moderation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Attributes of counts beside their keys.
const (
	attrCounts     = "counts"            // M of N: see key.Counted
	attrGeneration = item.AttrGeneration // N
	attrRevision   = "rev"               // N
)

// counts are how many comments are in the queue, by key.Counted.
type counts map[string]int

func (c counts) add(name string, n int) {
	if c[name] += n; c[name] == 0 {
		delete(c, name)
	}
}

// counted returns as what a comment is counted, "" if it is not in the queue.
func counted(c *item.Stored) string {
	if !c.InQueue() {
		return ""
	}
	return key.Counted(c.State.String(), c.Language, c.Reports > 0)
}

// part is an item of counts.
type part struct {
	counts
	generation, revision int
}

func partKey(pk string) table.Item { return table.KeyOf(pk, key.CasesSK) }

func parsePart(it table.Item) (p part, err error) {
	p.counts = counts{}
	if err := table.Numbers(it, map[string]*int{attrGeneration: &p.generation, attrRevision: &p.revision}); err != nil {
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

// as returns the counts that a generation sees.
func (p part) as(generation int) counts {
	if p.generation < generation {
		return counts{}
	}
	return p.counts
}

// Totals are how many comments are in the queue.
type Totals struct{ counts }

// Of returns how many are in a part of the queue.
func (t Totals) Of(q Queue) (n int) {
	for name, count := range t.counts {
		state, language, reported, ok := key.ParseCounted(name)
		if ok && state == q.State.String() && (q.Language == "" || language == q.Language) && (q.Reported == nil || reported == *q.Reported) {
			n += count
		}
	}
	return n
}

// Counts reads how many comments are in the queue: half a read unit for each of its
// key.CaseParts items. They are as recent as the projector. It returns an Unavailable
// error if the store does not answer, or while the statistics are not kept.
func (m *Moderation) Counts(ctx context.Context) (Totals, error) {
	all := Totals{counts{}}
	keys := make([]table.Item, key.CaseParts)
	for i := range keys {
		keys[i] = partKey(key.CasePartition(i))
	}
	var parts []part
	var damage error
	err := m.t.GetMany(ctx, keys, false, func(it table.Item) {
		p, err := parsePart(it)
		if err != nil {
			damage = err
		}
		parts = append(parts, p)
	})
	if err == nil {
		err = damage
	}
	if err != nil {
		return all, err
	}
	now, err := m.settings.Recent(ctx)
	if err != nil {
		return all, err
	}
	for _, p := range parts {
		if p.generation > now.Generation { // what this process remembers is outdated
			return all, errs.Errorf(errs.Unavailable, "The statistics have just been rebuilt, try again")
		}
		for name, n := range p.as(now.Generation) {
			all.add(name, n)
		}
	}
	return all, now.Trusted()
}

// Obsolete returns the removal of counts that a rebuild left behind.
func (m *Moderation) Obsolete(it table.Item, generation int) (table.Write, bool) {
	if !key.IsCasePart(table.Text(it, key.PK)) {
		return table.Write{}, false
	}
	return projector.Obsolete(it, key.Table, generation)
}

// gathering sums what changes mean for the counts.
type gathering struct {
	of         *Moderation
	generation int
	parts      map[string]counts // by partition key
}

// Gather begins a transaction's part.
func (m *Moderation) Gather(now settings.Settings) projector.Gathering {
	return &gathering{m, now.Generation, map[string]counts{}}
}

// effect is what a change does to counts: one more or less of a name in a part.
type effect struct {
	part, name string
	n          int
}

// effects returns what a change does.
func (g *gathering) effects(c projector.Change) (all []effect) {
	for _, side := range []struct {
		*projector.Image
		n int
	}{{c.Was, -1}, {c.Is, 1}} {
		if side.Image == nil || side.Generation < g.generation {
			continue
		}
		if name := counted(&side.Stored); name != "" {
			all = append(all, effect{key.CasePart(side.ProductID), name, side.n})
		}
	}
	if len(all) == 2 && all[0].part == all[1].part && all[0].name == all[1].name {
		return nil
	}
	return all
}

// Needs counts the items that no change before changed.
func (g *gathering) Needs(c projector.Change) int {
	others := map[string]bool{}
	for _, e := range g.effects(c) {
		if g.parts[e.part] == nil {
			others[e.part] = true
		}
	}
	return len(others)
}

// Take adds up a change.
func (g *gathering) Take(c projector.Change) {
	for _, e := range g.effects(c) {
		if g.parts[e.part] == nil {
			g.parts[e.part] = counts{}
		}
		g.parts[e.part].add(e.name, e.n)
	}
}

// Writes reads the counts that change, and returns the new ones.
func (g *gathering) Writes(ctx context.Context) (writes []table.Write, err error) {
	for _, pk := range slices.Sorted(maps.Keys(g.parts)) {
		if len(g.parts[pk]) == 0 {
			continue
		}
		it, err := g.of.t.Get(ctx, "counts of the queue", partKey(pk))
		if err != nil {
			return nil, err
		}
		p, err := parsePart(it)
		if err != nil {
			return nil, err
		}
		if p.generation > g.generation {
			return nil, projector.ErrOutdated
		}
		sum := maps.Clone(p.as(g.generation))
		for name, n := range g.parts[pk] {
			if sum.add(name, n); sum[name] < 0 {
				return nil, fmt.Errorf("%s, %s: %w", pk, name, stats.ErrNegative)
			}
		}
		put := partKey(pk)
		members := make(table.Item, len(sum))
		for name, n := range sum {
			members[name] = table.N(n)
		}
		put[attrCounts] = &types.AttributeValueMemberM{Value: members}
		put[attrRevision] = table.N(g.of.t.Random().NextRevision(p.revision))
		if g.generation > 0 {
			put[attrGeneration] = table.N(g.generation)
		}
		writes = append(writes, table.Write{Put: put}.IfRevision(attrRevision, p.revision))
	}
	return writes, nil
}
