package attributes

import (
	"fmt"
	"slices"
	"strings"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
)

// The limits of definitions.
const (
	MaxKey     = 64  // bytes, also of the name of a group
	MaxOptions = 200 // of a Choice
	MaxOption  = 100 // characters of a choice's value
	MaxLabels  = 50  // of an attribute or a choice
	MaxLabel   = 100 // characters
	MaxUnit    = 20  // characters
)

// reserved is the prefix of keys in the attribute index that are not attributes.
const reserved = "~"

// ValidateGroup returns an error for a group name that is empty, too long, or has invisible
// characters.
func ValidateGroup(field, name string) error { return item.ValidateName(field, name, MaxKey) }

// ValidateKey is ValidateGroup for the key of an attribute.
func ValidateKey(field, key string) error {
	if strings.HasPrefix(key, reserved) {
		return errs.Invalid(field, "it begins with %s, which is reserved", reserved).For(errs.BadCharacter)
	}
	return item.ValidateName(field, key, MaxKey)
}

// Validate returns the definitions with canonical languages. It returns a BadUserInput error
// for each invalid field, such as definitions.0.key.
func Validate(given []Definition) ([]Definition, error) {
	if len(given) > MaxDefinitions {
		return nil, errs.Invalid("definitions", "there are %d, the limit is %d", len(given), MaxDefinitions).
			For(errs.TooMany).Past(len(given), MaxDefinitions)
	}
	list := slices.Clone(given)
	seen := make(map[string]bool, len(list))
	var problems error
	for i := range list {
		field := fmt.Sprintf("definitions.%d", i)
		def := &list[i]
		problems = errs.Join(problems, def.validate(field))
		if seen[def.Key] {
			problems = errs.Join(problems, errs.Invalid(field+".key", "%q is defined twice", item.Printable(def.Key)).
				For(errs.Contradiction))
		}
		seen[def.Key] = true
		def.Group = ""
	}
	return list, problems
}

func (d *Definition) validate(field string) error {
	problems := errs.Join(ValidateKey(field+".key", d.Key), validateLabels(field+".labels", &d.Labels),
		d.validateOptions(field+".choices"))
	if !slices.Contains(Types, d.Type) {
		problems = errs.Join(problems, errs.Invalid(field+".type", "%q is not an attribute's type", d.Type).
			For(errs.WrongType))
	}
	problems = errs.Join(problems, d.only(field+".address", d.Address, Text), d.only(field+".locale", d.Locale != "", Text, Date),
		d.only(field+".unit", d.Unit != "", Number), d.only(field+".scale", d.Scale != nil, Number))
	if d.Locale != "" {
		canonical, err := item.CanonicalLanguage(field+".locale", d.Locale)
		d.Locale, problems = canonical, errs.Join(problems, err)
	}
	if d.Unit != "" {
		problems = errs.Join(problems, item.ValidateLine(field+".unit", d.Unit, MaxUnit))
	}
	if d.Scale != nil && d.Scale.Minimum >= d.Scale.Maximum {
		problems = errs.Join(problems, errs.Invalid(field+".scale.maximum",
			"it is not more than the minimum, %v: give a greater one", d.Scale.Minimum).For(errs.OutOfRange))
	}
	return problems
}

// only returns an error for a given field that the attribute's type does not have.
func (d *Definition) only(field string, given bool, types ...Type) error {
	if !given || slices.Contains(types, d.Type) {
		return nil
	}
	return errs.Invalid(field, "attributes of the type %s do not have it: leave it out", d.Type).For(errs.Contradiction)
}

func (d *Definition) validateOptions(field string) (problems error) {
	switch n := len(d.Options); {
	case d.Type != Choice && n > 0:
		return errs.Invalid(field, "the attribute has the type %s, which has no choices: leave them out", d.Type).
			For(errs.Contradiction)
	case d.Type != Choice:
		return nil
	case n == 0:
		return errs.Invalid(field, "it is empty: a CHOICE has at least one").For(errs.Required)
	case n > MaxOptions:
		return errs.Invalid(field, "there are %d, the limit is %d", n, MaxOptions).For(errs.TooMany).Past(n, MaxOptions)
	}
	d.Options = slices.Clone(d.Options)
	seen := make(map[string]bool, len(d.Options))
	for i := range d.Options {
		o, at := &d.Options[i], fmt.Sprintf("%s.%d", field, i)
		problems = errs.Join(problems, item.ValidateLine(at+".value", o.Value, MaxOption),
			validateLabels(at+".labels", &o.Labels))
		if seen[o.Value] {
			problems = errs.Join(problems,
				errs.Invalid(at+".value", "%q is given twice: give it once", item.Printable(o.Value)).
					For(errs.Contradiction))
		}
		seen[o.Value] = true
	}
	return problems
}

// validateLabels makes the languages of labels canonical.
func validateLabels(field string, labels *[]Label) (problems error) {
	if n := len(*labels); n > MaxLabels {
		return errs.Invalid(field, "there are %d, the limit is %d", n, MaxLabels).For(errs.TooMany).Past(n, MaxLabels)
	}
	list := slices.Clone(*labels)
	seen := make(map[string]bool, len(list))
	for i := range list {
		l, at := &list[i], fmt.Sprintf("%s.%d", field, i)
		canonical, err := item.CanonicalLanguage(at+".language", l.Language)
		if err == nil && seen[canonical] {
			err = errs.Invalid(at+".language", "%s has two labels: give one", canonical).For(errs.Contradiction)
		}
		l.Language = canonical
		seen[canonical] = true
		problems = errs.Join(problems, err, item.ValidateLine(at+".label", l.Text, MaxLabel))
	}
	*labels = list
	return problems
}
