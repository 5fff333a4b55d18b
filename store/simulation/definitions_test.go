package simulation

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/klauspost/compress/flate"

	"product-comments/store/comment/attributes"
	"product-comments/store/key"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
)

// defined contains the definitions and the group of a product, or the definitions of a group, from
// a moment on.
type defined struct {
	at       time.Time
	revision int // of the definitions, 0 for none
	group    string
}

// filled is the version that all comments of a product had reached at a moment.
type filled struct {
	at      time.Time
	version string
}

// definitionsHad are what products and groups ever had.
type definitionsHad struct {
	defined map[definitions.Scope][]defined                 // in order
	lists   map[definitions.Scope][][]attributes.Definition // by revision, from 1 on
	filled  map[string]filled                               // by product
	fills   map[string]bool                                 // that are under way, by sort key
}

func newDefinitions() definitionsHad {
	return definitionsHad{map[definitions.Scope][]defined{}, map[definitions.Scope][][]attributes.Definition{}, map[string]filled{}, map[string]bool{}}
}

func scopeOf(pk string) (of definitions.Scope, ok bool) {
	if of.Product, ok = key.ProductID(pk); ok {
		return of, true
	}
	of.Group, ok = key.ParseAttributeGroup(pk)
	return of, ok
}

// redefined takes a change of an item about definitions. The caller holds the lock.
func (m *model) redefined(by *call, c double.Change) {
	it := c.After
	if len(it) == 0 {
		it = c.Before
	}
	pk, sk := text(it, key.PK), text(it, key.SK)
	of, _ := scopeOf(pk)
	switch {
	case pk == key.AttributeFills:
		if m.fills[sk] = true; len(c.After) == 0 {
			delete(m.fills, sk)
		}
	case sk == key.ColumnsSK:
		m.filled[of.Product] = filled{time.Now(), text(c.After, "filled")}
	case sk == key.AttributesSK:
		now, was := defined{time.Now(), number(c.After, "rev", 0), text(c.After, "group")}, m.has(of)
		m.defined[of] = append(m.defined[of], now)
		m.h.journal.add(by.processName(), "  effect", "of %s: %s is at revision %d of its definitions, in group %q", by, of, now.revision, now.group)
		if now.group != was.group && (by == nil || by.assigns == nil || !by.assigns(of, now.group)) {
			m.h.fail("definitions", "", "%s assigned %s to the group %q, which it must not", by, of, now.group)
		}
		if len(m.fills) > 0 {
			m.h.marks.add("definitions changed while a fill was under way")
		}
		if by != nil {
			by.redefined++
		}
	case strings.HasPrefix(sk, key.AttributesSK+"#"):
		m.listed(by, of, c)
	}
}

// listed takes a revision of definitions.
func (m *model) listed(by *call, of definitions.Scope, c double.Change) {
	list, err := listOf(c.After)
	if m.lists[of] = append(m.lists[of], list); err != nil || len(c.Before) > 0 || text(c.After, key.SK) != key.AttributesRevisionSK(len(m.lists[of])) {
		m.h.fail("definitions", "", "%s wrote the definitions %s of %s after %d: %v", by, text(c.After, key.SK), of, len(m.lists[of])-1, err)
		return
	}
	m.h.journal.add(by.processName(), "  effect", "of %s: revision %d of %s is %s", by, len(m.lists[of]), of, spellList(list))
	switch {
	case by != nil && by.defines != nil && by.defines(of, list):
	case len(m.lists[of]) == 1 && len(list) == 0 && of.Product != "":
		m.h.marks.add("a product got a first version because a person found a comment helpful")
	default:
		m.h.fail("definitions", "", "%s defined attributes of %s, which it must not", by, of)
	}
}

// listOf reads a revision by its own few lines.
func listOf(it item) (list []attributes.Definition, err error) {
	packed, _ := it["list"].(*types.AttributeValueMemberB)
	if packed == nil {
		packed = &types.AttributeValueMemberB{}
	}
	err = json.NewDecoder(flate.NewReader(bytes.NewReader(packed.Value))).Decode(&list)
	return list, err
}

// spellList spells definitions for people.
func spellList(list []attributes.Definition) string {
	if len(list) > 20 {
		return itoa(len(list)) + " attributes"
	}
	var parts []string
	for _, d := range list {
		s := d.Key + " " + string(d.Type) + d.Locale
		for _, o := range d.Options {
			s += " " + o.Value
		}
		if d.Shown {
			s += " shown"
		}
		parts = append(parts, s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// sameList reports whether two lists define the same.
func sameList(a, b []attributes.Definition) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(plainly(a), plainly(b))
}

func plainly(list []attributes.Definition) (out []map[string]any) {
	spelled, _ := json.Marshal(list)
	_ = json.Unmarshal(spelled, &out)
	return out
}

// has returns what a product or group has. The caller holds the lock.
func (m *model) has(of definitions.Scope) defined {
	all := m.defined[of]
	if len(all) == 0 {
		return defined{}
	}
	return all[len(all)-1]
}

// hadDuring returns what it had at some time in an interval. The caller holds the lock.
func (m *model) hadDuring(of definitions.Scope, from, to time.Time) []defined {
	return during(m.defined[of], from, to, func(d defined) (time.Time, defined) { return d.at, d })
}

// othersChanged reports whether other definitions than these changed in a time, which may be
// what a product of theirs inherits. The caller holds the lock.
func (m *model) othersChanged(of definitions.Scope, from, to time.Time) bool {
	for scope := range m.defined {
		if scope != of && len(m.hadDuring(scope, from, to)) > 1 {
			return true
		}
	}
	return false
}

// listAt returns a revision of definitions. The caller holds the lock.
func (m *model) listAt(of definitions.Scope, revision int) []attributes.Definition {
	if revision == 0 {
		return nil
	}
	return m.lists[of][revision-1]
}

// meant is a meaning with whether it is that of a product which never had definitions, nor was assigned.
type meant struct {
	meaning
	none bool
}

// meanings returns what the attributes of a product may mean to who read what it has,
// and after that what its group has, at some time in an interval. The caller holds the
// lock.
func (m *model) meanings(product string, from, to time.Time) (out []meant) {
	of := definitions.Scope{Product: product}
	for _, own := range m.hadDuring(of, from, to) {
		list := m.listAt(of, own.revision)
		if own.group == "" {
			out = append(out, meant{meaningOf(list, nil), own.at.IsZero()})
			continue
		}
		in := definitions.Scope{Group: own.group}
		for _, inherited := range m.hadDuring(in, from, to) {
			out = append(out, meant{meaningOf(list, m.listAt(in, inherited.revision)), false})
		}
	}
	return out
}

// meaning returns what the attributes of a product mean.
func (m *model) meaning(product string) meaning {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.meanings(product, time.Now().Add(time.Nanosecond), time.Now())
	return now[0].meaning
}

// steady reports whether all comments of a product had been brought to its definitions
// before an instant, and no one changed these after. The caller holds the lock.
func (m *model) steady(product string, at, to time.Time) bool {
	of := definitions.Scope{Product: product}
	changed := time.Time{}
	for scope := range m.defined {
		if scope != of && scope.Group != m.has(of).group {
			continue
		}
		for _, d := range m.defined[scope] {
			if !d.at.After(to) && d.at.After(changed) {
				changed = d.at
			}
		}
	}
	f := m.filled[product]
	return changed.IsZero() || f.at.Before(at) && f.at.After(changed)
}

// underWay returns how many fills there are.
func (m *model) underWay() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.fills)
}
