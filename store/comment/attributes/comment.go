package attributes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key/sortable"
)

// MaxValues is the maximum number of attributes in one change of a comment.
const MaxValues = MaxDefinitions

// Input is a value for an attribute, as plain text; an empty value removes the attribute.
type Input struct{ Key, Value string }

// Apply returns the attributes of a comment after a change. Attributes that the inputs do not
// name keep their exact spelling. Apply returns a BadUserInput error for each invalid key and
// value, as field.0.value, and an Internal error if the existing attributes cannot be read.
func (d *Definitions) Apply(field string, raw json.RawMessage, inputs []Input) (json.RawMessage, error) {
	if len(inputs) == 0 {
		return raw, nil
	}
	if len(inputs) > MaxValues {
		return raw, errs.Invalid(field, "there are %d, the limit is %d", len(inputs), MaxValues).For(errs.TooMany).
			Past(len(inputs), MaxValues)
	}
	list, err := rawMembers(raw)
	if err != nil {
		return raw, fmt.Errorf("the comment's attributes are damaged: %w", err)
	}
	var problems error
	seen := make(map[string]bool, len(inputs))
	for i, in := range inputs {
		value, err := d.value(fmt.Sprintf("%s.%d", field, i), in, seen[in.Key], hasMember(list, in.Key))
		problems = errs.Join(problems, err)
		seen[in.Key] = true
		list = withMember(list, newMember(in.Key, value))
	}
	if problems != nil {
		return raw, problems
	}
	return spell(list), nil
}

// value returns the JSON of an input, nil if the input removes the attribute.
func (d *Definitions) value(field string, in Input, twice, there bool) (json.RawMessage, error) {
	def := d.Get(in.Key)
	switch {
	case twice:
		return nil, errs.Invalid(field+".key", "%q is given twice", item.Printable(in.Key)).For(errs.Contradiction)
	case in.Value == "" && there:
		return nil, nil
	case def == nil:
		return nil, errs.Invalid(field+".key", "the product has no attribute %q", item.Printable(in.Key)).
			For(errs.NotAnAttribute)
	case in.Value == "":
		return nil, nil
	}
	v, err := def.Parse(field+".value", in.Value)
	if err == nil && def.Type == Text {
		err = item.ValidateCharacters(field+".value", in.Value)
	}
	if err != nil {
		return nil, err
	}
	return v.appendJSON(nil), nil
}

// Check returns an error, as field.key, for each value of a comment that cannot be converted to
// the type of its definition. unknown are the names of members without a definition. ambiguous
// has an error for each number in a text with several meanings, see sortable.Ambiguous.
func (d *Definitions) Check(field string, raw json.RawMessage) (unknown []string, ambiguous, err error) {
	if len(d.list) == 0 || len(raw) == 0 {
		return nil, nil, nil
	}
	for key, spelled := range members(raw) {
		def, value := d.byKey[key], plain(spelled)
		if def == nil {
			unknown = append(unknown, key)
			continue
		}
		if value == "" {
			continue
		}
		at := field + "." + item.Printable(key)
		if _, wrong := def.Parse(at, value); wrong != nil {
			err = errs.Join(err, wrong)
		} else if def.Type == Number && spelled.Kind() == '"' {
			if doubt := sortable.Ambiguous(value); doubt != nil {
				ambiguous = errs.Join(ambiguous, errs.Invalid(at, "%v", doubt).For(errs.WrongType))
			}
		}
	}
	return unknown, ambiguous, err
}

// Shown returns the values of a comment that lists show, as a flat JSON object; nil if there
// are none.
func (d *Definitions) Shown(raw json.RawMessage) json.RawMessage {
	if d.shown == 0 {
		return nil
	}
	var list []rawMember
	for _, v := range d.Values(raw) {
		if v.Shown {
			list = append(list, newMember(v.Key, v.appendJSON(nil)))
		}
	}
	// the order in which the table returns them
	slices.SortFunc(list, func(a, b rawMember) int { return cmp.Compare(a.name, b.name) })
	return spell(list)
}

// Stamp marks a comment as written under these definitions.
func (d *Definitions) Stamp(c *item.Stored) { c.Defined, c.Shown = d.version, d.Shown(c.Attributes) }

// rawMember is a member of a JSON object in its exact spelling.
type rawMember struct {
	name    string
	spelled jsontext.Value // the name
	value   json.RawMessage
}

// newMember returns a member. The name was checked, so it is valid UTF-8.
func newMember(name string, value json.RawMessage) rawMember {
	spelled, _ := jsontext.AppendQuote(nil, name)
	return rawMember{name, spelled, value}
}

// withMember returns members with one of them replaced, or removed if its value is empty.
func withMember(list []rawMember, change rawMember) []rawMember {
	same := func(m rawMember) bool { return m.name == change.name }
	at := slices.IndexFunc(list, same)
	list = slices.DeleteFunc(list, same)
	switch {
	case change.value == nil:
		return list
	case at < 0:
		return append(list, change)
	}
	return slices.Insert(list, at, change)
}

func hasMember(list []rawMember, name string) bool {
	return slices.ContainsFunc(list, func(m rawMember) bool { return m.name == name })
}

// rawMembers lists the members of a JSON object in order; an empty text has none. It returns an
// error if the object cannot be read.
func rawMembers(raw json.RawMessage) (list []rawMember, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	err = eachMember(raw, func(name, value jsontext.Value) bool {
		list = append(list, rawMember{unquoted(name), name.Clone(), json.RawMessage(value.Clone())})
		return true
	})
	return list, err
}

// spell is the inverse of rawMembers; nil for no members.
func spell(list []rawMember) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	out := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.spelled...), ':'), m.value...)
	}
	return append(out, '}')
}
