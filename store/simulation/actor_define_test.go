package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/settings/definitions"
	rooms "product-comments/store/table"
)

// groups of products.
var someGroups = []string{"shoes", "a.7/b"}

// define changes what attributes of a product or a group there are.
func define(a *act) {
	of := definitions.Scope{Product: a.product()}
	if a.config.Groups && a.chance(0.4) {
		of = definitions.Scope{Group: someGroups[a.IntN(len(someGroups))]}
	}
	a.model.mu.Lock()
	now := slices.Clone(a.model.listAt(of, a.model.has(of).revision))
	a.model.mu.Unlock()
	a.defines(redefinition{of, a.redrawn(now), a.chance(0.6)})
}

// redrawn draws other definitions: most often one of them changes.
func (a *act) redrawn(list []attributes.Definition) []attributes.Definition {
	if len(list) == 0 || a.chance(0.1) {
		list = nil
		for i := range someKeys {
			if a.chance(0.7) {
				list = append(list, a.defined(i))
			}
		}
		return list
	}
	at := a.IntN(len(list))
	changed := &list[at]
	switch a.IntN(6) {
	case 0:
		return slices.Delete(list, at, at+1)
	case 1: // one that is not there
		i := a.IntN(len(someKeys))
		if slices.ContainsFunc(list, func(d attributes.Definition) bool { return d.Key == someKeys[i].key }) {
			return list
		}
		return append(list, a.defined(i))
	case 2:
		changed.Shown = !changed.Shown
	case 3:
		changed.Labels = []attributes.Label{{Language: "en", Text: a.words()}}
	case 4:
		if changed.Type == attributes.Choice {
			changed.Options = a.options()
			break
		}
		fallthrough
	default:
		for i := range someKeys {
			if someKeys[i].key == changed.Key {
				*changed = a.defined(i)
			}
		}
	}
	return list
}

// redefinition is a change of the definitions of a product or a group.
type redefinition struct {
	Of    definitions.Scope
	List  []attributes.Definition
	Force bool
}

// defines changes definitions, and checks what came of it.
func (a *act) defines(r redefinition) {
	c, ctx := a.begin("define", r)
	of, list, force := r.Of, r.List, r.Force
	written := time.Time{}
	c.defines = func(is definitions.Scope, got []attributes.Definition) bool {
		ok := is == of && sameList(got, list) && written.IsZero()
		written = time.Now()
		return ok
	}
	unconverted, err := a.server.store.Attributes().Define(ctx, definitions.Change{Scope: of, Definitions: list, Force: force})
	a.end(c, err, "%v", unconverted)
	m := a.model
	m.mu.Lock()
	had := m.hadDuring(of, c.began, time.Now())
	taken := a.takes(of, had[0], list, c.began.Add(-a.config.Double.IndexLag), time.Now())
	others := len(had)-1 > c.redefined || c.redefined > 1 || m.othersChanged(of, c.began, time.Now())
	became := slices.ContainsFunc(had, func(d defined) bool { return sameList(m.listAt(of, d.revision), list) })
	m.mu.Unlock()
	switch {
	case err == nil:
		if !became {
			a.fail("definitions", "", "%s was acknowledged, and they never were such", c)
		}
		if !others && c.redefined > 0 {
			if !force && len(taken) > 0 {
				a.fail("definitions", "", "%s took values without being forced: %v", c, taken)
			}
			for k := range taken {
				if !slices.Contains(unconverted, k) {
					a.fail("definitions", "", "%s does not say that it takes %q from comments", c, k)
				}
				a.marks.add("definitions took values from comments")
			}
		}
	case errs.CodeOf(err) == errs.Conflict:
		if c.redefined > 0 || !others && force {
			a.fail("definitions", "", "%s ended with %v, and nothing was in its way", c, err)
		}
		a.marks.add("a change of definitions was refused")
	default:
		a.wrote(c)
	}
}

// takes returns the attributes whose values a change takes from a comment that is published
// for a whole interval. The model's lock is held.
func (a *act) takes(of definitions.Scope, had defined, list []attributes.Definition, from, to time.Time) map[string]bool {
	taken := map[string]bool{}
	for _, product := range a.config.Products {
		var before, is meaning
		own, inherited := a.model.has(definitions.Scope{Product: product}), []attributes.Definition(nil)
		if in := (definitions.Scope{Group: own.group}); own.group != "" {
			inherited = a.model.listAt(in, a.model.has(in).revision)
		}
		switch {
		case of.Product == product:
			before, is = meaningOf(a.model.listAt(of, had.revision), inherited), meaningOf(list, inherited)
		case of.Group != "" && own.group == of.Group:
			mine := a.model.listAt(definitions.Scope{Product: product}, own.revision)
			before, is = meaningOf(mine, a.model.listAt(of, had.revision)), meaningOf(mine, list)
		default:
			continue
		}
		for _, id := range a.model.ids {
			states := a.model.during(id, from, to)
			times := map[string]int{}
			for _, s := range states {
				if s == nil || s.product != product || s.hidden() {
					continue
				}
				after := s.says(is)
				for k := range s.says(before) {
					if after[k] == nil {
						times[k]++
					}
				}
			}
			for k, n := range times {
				if n == len(states) {
					taken[k] = true
				}
			}
		}
	}
	return taken
}

// assign puts a product into a group, or takes it out of its.
func assign(a *act) {
	to := definitions.Scope{Product: a.product()}
	if a.chance(0.75) {
		to.Group = someGroups[a.IntN(len(someGroups))]
	}
	a.assigns(to)
}

func (a *act) assigns(to definitions.Scope) {
	product, group := to.Product, to.Group
	of := definitions.Scope{Product: product}
	c, ctx := a.begin("assign", to)
	c.assigns = func(is definitions.Scope, to string) bool { return is == of && to == group }
	err := a.server.store.Attributes().Assign(ctx, definitions.Assignment{Product: product, Group: group, Force: true})
	a.end(c, err, "")
	a.model.mu.Lock()
	had := a.model.hadDuring(of, c.began, time.Now())
	a.model.mu.Unlock()
	switch {
	case err == nil:
		if !slices.ContainsFunc(had, func(d defined) bool { return d.group == group }) {
			a.fail("definitions", "", "%s was acknowledged, and it never was there", c)
		}
		a.marks.add("a product was assigned to a group")
	case errs.CodeOf(err) == errs.Conflict && len(had) > 1:
	default:
		a.wrote(c)
	}
}

// fill is the operator's command that brings comments to definitions.
func fill(a *act) { a.fills(nothing{}) }

func (a *act) fills(nothing) {
	c, ctx := a.begin("fill", nothing{})
	c.explain = same
	err := a.fillsAll(c, ctx)
	a.end(c, err, "")
	if err != nil {
		a.tolerable(c, err)
	}
}

// fillPatience is for how long an operator waits until all is filled.
const fillPatience = time.Minute

func (a *act) fillsAll(c *call, ctx context.Context) error {
	for {
		if err := a.server.store.AttributeIndex().Maintain(rooms.Patiently(ctx)); err != nil {
			return err
		}
		left, err := a.server.store.AttributeIndex().Backfill().All(ctx)
		if err != nil || time.Since(c.began) > fillPatience {
			return err
		}
		if len(left) == 0 {
			a.marks.add("an operator waited until all was filled")
			return nil
		}
		if err := rooms.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

// given draws what a client gives attributes of a product: most often something that
// fits, and now and then something that does not.
func (a *act) given(product string) (list []attributes.Input) {
	if !a.config.Attributes || a.chance(0.3) {
		return nil
	}
	m := a.model.meaning(product)
	for k, d := range sorted(m) {
		if !a.chance(2 / float64(len(m))) {
			continue
		}
		in := attributes.Input{Key: k}
		if !a.chance(0.15) { // otherwise it is removed
			in.Value = a.value(d, a.chance(0.95))
		}
		list = append(list, in)
	}
	if a.chance(0.05) {
		list = append(list, attributes.Input{Key: "unknown", Value: "1"})
	}
	return list
}

// value draws a value as text, such as fits a definition if that is wanted.
func (a *act) value(d *attributes.Definition, fits bool) string {
	values := someValues
	if fits { // each type takes some of them
		values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return means(d, v) == nil })
	}
	return fmt.Sprint(values[a.IntN(len(values))])
}

// raw draws attributes of a comment in a file, whatever is defined.
func (a *act) raw(product string) []byte {
	if !a.config.Attributes || a.chance(0.2) {
		return nil
	}
	all := map[string]any{}
	m := a.model.meaning(product)
	full := a.config.Wide > 0 && a.chance(0.4)
	for k, d := range sorted(m) {
		for full && all[k] == nil || a.chance(0.6) {
			if v := someValues[a.IntN(len(someValues))]; means(d, v) != nil || a.chance(0.1) {
				all[k] = v
			}
		}
	}
	for _, of := range someKeys {
		if a.chance(0.1) {
			all[of.key] = someValues[a.IntN(len(someValues))]
		}
	}
	return spelled(all)
}

func spelled(all map[string]any) []byte {
	if len(all) == 0 {
		return nil
	}
	raw, _ := json.Marshal(all)
	return raw
}

// sorted yields definitions by their keys, so that what is drawn follows from the seed.
func sorted(m meaning) iter.Seq2[string, *attributes.Definition] {
	return func(yield func(string, *attributes.Definition) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// takesInputs reports whether what a client gave may be what a comment has after it, under
// some of the definitions that its product may have had for the process.
func takesInputs(all []meant, given []attributes.Input, before, after string) bool {
	was, is := members(before), members(after)
	return slices.ContainsFunc(all, func(m meant) bool {
		left := maps.Clone(is)
		for _, in := range given {
			delete(left, in.Key)
			if in.Value == "" {
				if is[in.Key] != nil || m.meaning[in.Key] == nil && was[in.Key] == nil {
					return false
				}
				continue
			}
			d := m.meaning[in.Key]
			want, got := means(d, in.Value), means(d, is[in.Key])
			if want == nil || got == nil || compareValues(d, want, got) != 0 {
				return false
			}
		}
		for k, v := range was {
			if !slices.ContainsFunc(given, func(in attributes.Input) bool { return in.Key == k }) && left[k] != v {
				return false
			}
		}
		for k := range left {
			if was[k] == nil {
				return false
			}
		}
		return true
	})
}

// refuses reports whether some of the definitions that a product may have had for the
// process do not take what a client gave.
func refuses(all []meant, given []attributes.Input, before string) bool {
	was := members(before)
	return slices.ContainsFunc(all, func(m meant) bool {
		return slices.ContainsFunc(given, func(in attributes.Input) bool {
			d := m.meaning[in.Key]
			return in.Value == "" && d == nil && was[in.Key] == nil || in.Value != "" && means(d, in.Value) == nil
		})
	})
}

// knowable returns what the attributes of a product may mean to a process that does
// something until now, and began then. The caller holds the lock.
func (m *model) knowable(product string, began time.Time) []meant {
	return m.meanings(product, began.Add(-m.h.config.MetaAge-callTimeout), time.Now())
}

// refusedRightly reports whether a write may be refused because of its attributes.
func (a *act) refusedRightly(c *call, product string, given []attributes.Input, befores ...string) bool {
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	all := a.model.knowable(product, c.began)
	if errs.CodeOf(c.err) != errs.BadUserInput || !slices.ContainsFunc(befores, func(before string) bool { return refuses(all, given, before) }) {
		return false
	}
	a.marks.add("a value was refused")
	return true
}
