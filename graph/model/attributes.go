package model

import (
	"time"

	"product-comments/store/attributes"
	"product-comments/store/item"
)

// AttributeDefinition is the definition of an attribute as the schema shows it.
type AttributeDefinition struct{ *attributes.Definition }

// NewAttributeDefinitions wraps definitions, which must not change.
func NewAttributeDefinitions(list []attributes.Definition) []AttributeDefinition {
	return mapList(list, func(d *attributes.Definition) AttributeDefinition { return AttributeDefinition{d} })
}

// Label returns what people read, and an error for what is no language.
func (d AttributeDefinition) Label(language *string) (string, error) {
	tag, err := tagOf(language)
	return d.Definition.Label(tag), err
}

// Choices returns what there is to choose from.
func (d AttributeDefinition) Choices() []AttributeChoice {
	return mapList(d.Options, func(o *attributes.Option) AttributeChoice { return AttributeChoice{o} })
}

// Locale returns nil for the order of bytes.
func (d AttributeDefinition) Locale() *string { return orNil(&d.Definition.Locale) }

// Group returns nil for a definition of the product's own.
func (d AttributeDefinition) Group() *string { return orNil(&d.Definition.Group) }

// NewUnconverted returns what a change has lost. What is too much is not counted.
func NewUnconverted(lost []attributes.Unconverted) []UnconvertedAttribute {
	return mapList(lost, func(u *attributes.Unconverted) UnconvertedAttribute {
		return UnconvertedAttribute{Key: u.Key, Count: ifAny(u.Count, u.Counted)}
	})
}

// AttributeChoice is one of the values that an attribute can have.
type AttributeChoice struct{ *attributes.Option }

// Label returns what people read, and an error for what is no language.
func (c AttributeChoice) Label(language *string) (string, error) {
	tag, err := tagOf(language)
	return c.Option.Label(tag), err
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
	return mapList(values, func(v *attributes.Value) Attribute { return Attribute{*v} })
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
	return new(a.of.Number.Float())
}

// Date returns nil unless it is one.
func (a Attribute) Date() *time.Time {
	return ifAny(a.of.Date, a.of.Type == attributes.Date)
}

// Boolean returns nil unless it is one.
func (a Attribute) Boolean() *bool {
	return ifAny(a.of.Boolean, a.of.Type == attributes.Boolean)
}

// Choice returns nil unless it is one.
func (a Attribute) Choice() *AttributeChoice {
	if a.of.Type != attributes.Choice {
		return nil
	}
	return &AttributeChoice{&a.of.Options[a.of.Option]}
}
