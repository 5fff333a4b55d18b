package model

import (
	"time"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
)

// AttributeDefinition is the schema's type AttributeDefinition.
type AttributeDefinition struct{ *attributes.Definition }

// NewAttributeDefinitions wraps definitions, which must not change.
func NewAttributeDefinitions(list []attributes.Definition) []AttributeDefinition {
	return MapList(list, func(d *attributes.Definition) AttributeDefinition { return AttributeDefinition{d} })
}

// Label returns the label in a language, and an error for an invalid language.
func (d AttributeDefinition) Label(language *string) (string, error) {
	tag, err := item.AnyLanguage("language", language)
	return d.Definition.Label(tag), err
}

// Choices returns the choices of the attribute.
func (d AttributeDefinition) Choices() []AttributeChoice {
	return MapList(d.Options, func(o *attributes.Option) AttributeChoice { return AttributeChoice{o} })
}

// Locale returns nil for the order of bytes.
func (d AttributeDefinition) Locale() *string { return orNil(&d.Definition.Locale) }

// Unit returns nil for none.
func (d AttributeDefinition) Unit() *string { return orNil(&d.Definition.Unit) }

// Group returns nil for a definition of the product itself.
func (d AttributeDefinition) Group() *string { return orNil(&d.Definition.Group) }

// AttributeChoice is a choice of an attribute.
type AttributeChoice struct{ *attributes.Option }

// Label returns the label in a language, and an error for an invalid language.
func (c AttributeChoice) Label(language *string) (string, error) {
	tag, err := item.AnyLanguage("language", language)
	return c.Option.Label(tag), err
}

// Attribute is the schema's type Attribute: a comment's value of an attribute.
type Attribute struct{ of attributes.Value }

// NewAttributes wraps values.
func NewAttributes(values []attributes.Value) []Attribute {
	return MapList(values, func(v *attributes.Value) Attribute { return Attribute{*v} })
}

// Definition returns the attribute's definition.
func (a Attribute) Definition() AttributeDefinition { return AttributeDefinition{a.of.Definition} }

// Value returns the value as text.
func (a Attribute) Value() string { return a.of.String() }

// Number returns nil if the value is not a number.
func (a Attribute) Number() *float64 {
	if a.of.Type != attributes.Number {
		return nil
	}
	return new(a.of.Number.Float())
}

// Date returns nil if the value is not an instant.
func (a Attribute) Date() *time.Time {
	return ifAny(a.of.Date, a.of.Type == attributes.Date && !a.of.Day)
}

// Day returns nil if the value is not a day.
func (a Attribute) Day() *string { return ifAny(a.of.String(), a.of.Day) }

// Boolean returns nil if the value is not a boolean.
func (a Attribute) Boolean() *bool {
	return ifAny(a.of.Boolean, a.of.Type == attributes.Boolean)
}

// Choice returns nil if the value is not a choice.
func (a Attribute) Choice() *AttributeChoice {
	if a.of.Type != attributes.Choice {
		return nil
	}
	return &AttributeChoice{&a.of.Options[a.of.Option]}
}
