package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"product-comments/store/key"
)

// Absent is the condition that there is no item with the key.
const Absent = "attribute_not_exists(" + key.PK + ")"

// Exists is the condition that there is an item with the key.
const Exists = "attribute_exists(" + key.PK + ")"

// Unchanged makes a write conditional on the listed attributes having the values of stored. An
// attribute that stored lacks must still be absent.
func (w Write) Unchanged(stored Item, attributes ...string) Write {
	w.Names, w.Values = maps.Clone(w.Names), maps.Clone(w.Values)
	if w.Names == nil {
		w.Names = map[string]string{}
	}
	if w.Values == nil {
		w.Values = Item{}
	}
	conditions := make([]string, 0, len(attributes)+1)
	if w.If != "" {
		conditions = append(conditions, w.If)
	}
	for i, name := range attributes {
		n, v := fmt.Sprintf("#c%d", i), fmt.Sprintf(":c%d", i)
		w.Names[n] = name
		if stored[name] == nil {
			conditions = append(conditions, "attribute_not_exists("+n+")")
			continue
		}
		w.Values[v] = stored[name]
		conditions = append(conditions, n+" = "+v)
	}
	if len(w.Values) == 0 { // DynamoDB rejects an empty map
		w.Values = nil
	}
	w.If = strings.Join(conditions, " AND ")
	return w
}

// IfRevision makes a write conditional on the item's revision, an attribute of type N that
// changes with every write. Revision 0 means that there is no item.
func (w Write) IfRevision(attribute string, revision int) Write {
	if revision == 0 {
		w.If = Absent
		return w
	}
	w.If, w.Names, w.Values = "#rev = :rev", map[string]string{"#rev": attribute}, Item{":rev": N(revision)}
	return w
}

// Difference returns the update that changes an item from before to after. It does not touch
// attributes that are only in the table.
func Difference(primary, before, after Item) Write {
	w := Write{Key: primary, Names: map[string]string{}, Values: Item{}}
	var set, remove []string
	for i, name := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[name]; ok && SameValue(old, after[name]) {
			continue
		}
		n, v := fmt.Sprintf("#s%d", i), fmt.Sprintf(":s%d", i)
		w.Names[n], w.Values[v] = name, after[name]
		set = append(set, n+" = "+v)
	}
	for i, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			n := fmt.Sprintf("#r%d", i)
			w.Names[n] = name
			remove = append(remove, n)
		}
	}
	if len(set) > 0 {
		w.Update = "SET " + strings.Join(set, ", ")
	}
	if len(remove) > 0 {
		w.Update += " REMOVE " + strings.Join(remove, ", ")
	}
	return w
}
