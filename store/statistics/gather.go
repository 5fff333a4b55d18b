package statistics

import (
	"context"
	"fmt"
	"slices"
	"time"

	"product-comments/store/own"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// gathering sums what changes mean for statistics.
type gathering struct {
	of         *Statistics
	generation int
	deltas     stats.Deltas
	scopes     map[stats.Scope]bool // that the changes concern
	names      map[stats.Scope][]noted
}

// Gather begins a transaction's part.
func (s *Statistics) Gather(now settings.Settings) projector.Gathering {
	return &gathering{of: s, generation: now.Generation, deltas: stats.Deltas{}, scopes: map[stats.Scope]bool{}, names: map[stats.Scope][]noted{}}
}

// noted is a write whose name goes into statistics.
type noted struct {
	name own.Name
	made time.Time
}

// concerned returns the scopes that a change concerns and none before did.
func (g *gathering) concerned(c projector.Change) (scopes []stats.Scope) {
	for _, image := range []*projector.Image{c.Before, c.After} {
		if image == nil || image.Generation < g.generation {
			continue
		}
		for _, scope := range []stats.Scope{{ProductID: image.ProductID}, {ProductID: image.ProductID, Language: image.Language}} {
			if !g.scopes[scope] && !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	return scopes
}

// Needs counts items of statistics.
func (g *gathering) Needs(c projector.Change) int { return len(g.concerned(c)) }

// Take adds up a change.
func (g *gathering) Take(c projector.Change) {
	for _, scope := range g.concerned(c) {
		g.scopes[scope] = true
	}
	var before, after *stats.Counted
	if c.Before != nil {
		counted := c.Before.Counted()
		before = &counted
	}
	if c.After != nil {
		counted := c.After.Counted()
		after = &counted
	}
	g.deltas.Change(before, after, g.generation)
	if c.Name.IsNumbered() {
		effects := own.Effects(before, after, g.generation)
		for _, image := range []*projector.Image{c.Before, c.After} {
			// Whose columns follow the write that its name tells, also if it changes no count.
			if of := (stats.Scope{}); image != nil && image.Defined != "" && image.Generation >= g.generation {
				of.ProductID = image.ProductID
				effects[of] = &stats.Delta{}
			}
		}
		for scope := range effects {
			g.names[scope] = append(g.names[scope], noted{c.Name, c.Created})
		}
	}
}

// changed returns the scopes whose items change, in a fixed order: also those
// whose counts become what they were by several writes, each of which somebody
// may ask for.
func (g *gathering) changed() []stats.Scope {
	g.deltas.Prune()
	for scope := range g.names {
		if g.deltas[scope] == nil {
			g.deltas[scope] = &stats.Delta{}
		}
	}
	return g.deltas.Scopes()
}

// Writes reads the statistics that change, and returns their new items.
func (g *gathering) Writes(ctx context.Context) ([]table.Write, error) {
	scopes := g.changed()
	if len(scopes) == 0 {
		return nil, nil
	}
	read, err := g.of.read(ctx, scopes, true)
	if err != nil {
		return nil, err
	}
	var writes []table.Write
	for _, scope := range scopes {
		old := read[scope]
		if old.generation > g.generation {
			return nil, projector.ErrOutdated
		}
		before := old.as(g.generation)
		after, err := before.After(g.deltas[scope])
		if err != nil {
			return nil, fmt.Errorf("the statistics of product %q, language %q: %w", scope.ProductID, scope.Language, err)
		}
		names := old.namesAs(g.generation)
		for _, n := range g.names[scope] {
			names = names.With(n.name, n.made)
		}
		writes = append(writes, g.of.write(old, after, names, g.generation))
	}
	return writes, nil
}
