package item

import (
	"reflect"
	"strings"
	"time"
)

// Optional is a member of Comment that is a pointer to a boolean, a whole number, a text or a time,
// nil if it is unknown. The schema's Comment and the interchange format have it under its name.
type Optional struct {
	Name  string // begins with a small letter
	index int
}

// Optionals are all optional members, in the order of Comment.
var Optionals = func() (all []Optional) {
	of := reflect.TypeFor[Comment]()
	for i := range of.NumField() {
		o := Optional{strings.ToLower(of.Field(i).Name[:1]) + of.Field(i).Name[1:], i}
		switch o.In(new(Comment)).(type) {
		case **bool, **int, **string, **time.Time:
			all = append(all, o)
		}
	}
	return all
}()

// In returns a pointer to the member of a comment: a **bool, **int, **string or **time.Time.
func (o Optional) In(c *Comment) any {
	return reflect.ValueOf(c).Elem().Field(o.index).Addr().Interface()
}

// optionalName returns the name of the optional member that has a field's value, if one has it.
func optionalName(f *field) (name []string) {
	c := new(Stored)
	for _, o := range Optionals {
		if f.member != nil && f.member(c) == o.In(&c.Comment) {
			name = append(name, o.Name)
		}
	}
	return name
}

// Needs are what fields of the schema's Comment need that lists lack.
type Needs struct{ text, edit, rest bool }

// NeedsOf returns the needs of fields by their names.
func NeedsOf(names []string) (n Needs) {
	for _, name := range names {
		switch f := showing[name]; {
		case f == nil:
		case f.name == attrLongText:
			n.text = true
		case f.edit:
			n.edit = true
		case !f.indexed:
			n.rest = true
		}
	}
	return n
}

// Of reports whether a comment that was read from a list lacks a needed field.
func (n Needs) Of(c *Comment) bool {
	return n.rest || n.text && c.TextElsewhere || n.edit && c.EditElsewhere
}

// Complete adds the fields that lists lack to a comment of a list, from the whole comment. The
// fields of the list do not change: the version belongs to them. A comment without version becomes
// the whole comment, otherwise an update could overwrite an edit that its author has not seen.
func (c *Comment) Complete(whole *Comment) {
	if c.EditElsewhere {
		*c = *whole
		return
	}
	to, from := Stored{Comment: *c}, Stored{Comment: *whole}
	for i := range fields {
		if f := &fields[i]; !f.indexed && f.take != nil {
			f.take(&to, &from)
		}
	}
	if *c = to.Comment; c.TextElsewhere {
		c.Text, c.TextElsewhere = whole.Text, false
	}
}
