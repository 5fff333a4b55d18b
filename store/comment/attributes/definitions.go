package attributes

import (
	"cmp"
	"slices"

	"golang.org/x/text/language"

	"product-comments/store/key/sortable"
)

// MaxDefinitions is the maximum number of definitions of a product, inherited ones included.
const MaxDefinitions = 400

// Definitions are the effective definitions of a product at some moment. They are immutable.
// The zero value has no definitions.
type Definitions struct {
	version string
	list    []Definition
	byKey   map[string]*Definition
	shown   int
}

// Effective returns the definitions of a version: the product's own, then the group's
// definitions of other keys, by position, up to MaxDefinitions. The version is empty if the
// product never had definitions.
func Effective(version string, own []Definition, group string, inherited []Definition) *Definitions {
	d := &Definitions{version: version, byKey: make(map[string]*Definition, len(own)+len(inherited))}
	taken := make(map[string]bool, len(own))
	for _, def := range own {
		taken[def.Key] = true
		d.list = append(d.list, def)
	}
	inherited = slices.Clone(inherited)
	sortByPosition(inherited)
	for _, def := range inherited {
		if def.Group = group; !taken[def.Key] && len(d.list) < MaxDefinitions {
			d.list = append(d.list, def)
		}
	}
	sortByPosition(d.list)
	orders := map[string]*sortable.Order{"": sortable.Binary}
	for i := range d.list {
		def := &d.list[i]
		d.byKey[def.Key] = def
		if def.Shown {
			d.shown++
		}
		switch def.Type {
		case Text:
			if orders[def.Locale] == nil {
				orders[def.Locale] = sortable.OrderOf(language.Make(def.Locale))
			}
			def.order = orders[def.Locale]
		case Date:
			def.days = daysIn(def.Locale)
		case Choice:
			def.places = make(map[string]int, len(def.Options))
			for place, option := range def.Options {
				def.places[option.Value] = place
			}
		}
	}
	return d
}

func sortByPosition(list []Definition) {
	slices.SortFunc(list, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Key, b.Key))
	})
}

// Version identifies the definitions of a product permanently. It is empty if the product never
// had definitions; an empty list of definitions may have a version.
func (d *Definitions) Version() string { return d.version }

// List returns all definitions by position. The caller must not modify the slice.
func (d *Definitions) List() []Definition { return d.list }

// Get returns the definition of a key, nil if there is none.
func (d *Definitions) Get(key string) *Definition { return d.byKey[key] }

// Any reports whether there are definitions.
func (d *Definitions) Any() bool { return len(d.list) > 0 }

// IsAddress reports whether the values of an attribute are web addresses.
func (d *Definitions) IsAddress(key string) bool {
	def := d.Get(key)
	return def != nil && def.Address
}

// AllShown reports whether lists show every attribute.
func (d *Definitions) AllShown() bool { return d.shown == len(d.list) }

// Size estimates their memory in bytes.
func (d *Definitions) Size() int {
	n := 256
	for i := range d.list {
		def := &d.list[i]
		n += 512 + 2*len(def.Key) + len(def.Unit) + sizeOf(def.Labels)
		for j := range def.Options {
			n += 160 + 2*len(def.Options[j].Value) + sizeOf(def.Options[j].Labels)
		}
	}
	return n
}

func sizeOf(labels []Label) (n int) {
	for _, l := range labels {
		n += 32 + len(l.Language) + len(l.Text)
	}
	return n
}
