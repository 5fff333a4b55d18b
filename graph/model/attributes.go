package model

import (
	"time"

	"product-comments/store/attributes"
	"product-comments/store/item"
)

// AttributeDefinition is the definition of an attribute as the schema shows it.
type AttributeDefinition struct{ of *attributes.Definition }

// NewAttributeDefinitions wraps definitions, which must not change.
func NewAttributeDefinitions(list []attributes.Definition) []AttributeDefinition {
	out := make([]AttributeDefinition, len(list))
	for i := range list {
		out[i].of = &list[i]
	}
	return out
}

// Key returns by which inputs name it.
func (d AttributeDefinition) Key() string { return d.of.Key }

// Label returns what people read, and an error for what is no language.
func (d AttributeDefinition) Label(language *string) (string, error) {
	tag, err := tagOf(language)
	return d.of.Label(tag), err
}

// Labels returns the labels in all languages.
func (d AttributeDefinition) Labels() []AttributeLabel { return labelsOf(d.of.Labels) }

// Type returns what its values are.
func (d AttributeDefinition) Type() AttributeType { return AttributeType(d.of.Type) }

// Choices returns what there is to choose from.
func (d AttributeDefinition) Choices() []AttributeChoice {
	out := make([]AttributeChoice, len(d.of.Options))
	for i := range out {
		out[i].of = &d.of.Options[i]
	}
	return out
}

// Position returns its place among others.
func (d AttributeDefinition) Position() int { return d.of.Position }

// Shown tells whether lists carry its values.
func (d AttributeDefinition) Shown() bool { return d.of.Shown }

// Locale returns nil for the order of bytes.
func (d AttributeDefinition) Locale() *string { return orNil(&d.of.Locale) }

// Address tells whether its values are web addresses.
func (d AttributeDefinition) Address() bool { return d.of.Address }

// Group returns nil for a definition of the product's own.
func (d AttributeDefinition) Group() *string { return orNil(&d.of.Group) }

// AttributeChoice is one of the values that an attribute can have.
type AttributeChoice struct{ of *attributes.Option }

// Value returns it as comments have it.
func (c AttributeChoice) Value() string { return c.of.Value }

// Label returns what people read, and an error for what is no language.
func (c AttributeChoice) Label(language *string) (string, error) {
	tag, err := tagOf(language)
	return c.of.Label(tag), err
}

// Labels returns the labels in all languages.
func (c AttributeChoice) Labels() []AttributeLabel { return labelsOf(c.of.Labels) }

func labelsOf(labels []attributes.Label) []AttributeLabel {
	out := make([]AttributeLabel, len(labels))
	for i, l := range labels {
		out[i] = AttributeLabel{Language: l.Language, Label: l.Text}
	}
	return out
}

// tagOf returns a canonical language, "" for any.
func tagOf(language *string) (string, error) {
	if language == nil || *language == "" {
		return "", nil
	}
	return item.CanonicalLanguage("language", *language)
}

// Attribute is a comment's value of an attribute as the schema shows it.
type Attribute struct{ of attributes.Value }

// NewAttributes wraps values.
func NewAttributes(values []attributes.Value) []Attribute {
	out := make([]Attribute, len(values))
	for i := range values {
		out[i].of = values[i]
	}
	return out
}

// Definition returns of which attribute it is.
func (a Attribute) Definition() AttributeDefinition { return AttributeDefinition{a.of.Definition} }

// Value returns it as text.
func (a Attribute) Value() string { return a.of.String() }

// Number returns nil unless it is one.
func (a Attribute) Number() *float64 {
	if a.of.Type != attributes.Number {
		return nil
	}
	n := a.of.Number.Float()
	return &n
}

// Date returns nil unless it is one.
func (a Attribute) Date() *time.Time {
	if a.of.Type != attributes.Date {
		return nil
	}
	return &a.of.Date
}

// Boolean returns nil unless it is one.
func (a Attribute) Boolean() *bool {
	if a.of.Type != attributes.Boolean {
		return nil
	}
	return &a.of.Boolean
}

// Choice returns nil unless it is one.
func (a Attribute) Choice() *AttributeChoice {
	if a.of.Type != attributes.Choice {
		return nil
	}
	return &AttributeChoice{&a.of.Options[a.of.Option]}
}
