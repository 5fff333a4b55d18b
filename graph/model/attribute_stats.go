package model

import (
	"product-comments/store/attributes"
	"product-comments/store/summaries"
	"product-comments/store/summary"
)

// AttributeStats are the statistics of an attribute as the schema shows them.
type AttributeStats struct {
	Summary             summary.Summary
	ProductID, Language string // empty for any language
	of                  *attributes.Definition
}

// NewAttributeStats wraps what is known of an attribute in a product's comments in a
// language, or in any.
func NewAttributeStats(s summary.Summary, of *attributes.Definition, product, language string) *AttributeStats {
	return &AttributeStats{s, product, language, of}
}

// Key returns the key of the attribute.
func (s AttributeStats) Key() string { return s.of.Key }

// IsOfNumbers tells whether the attribute's values are numbers.
func (s AttributeStats) IsOfNumbers() bool { return s.of.Type == attributes.Number }

// Count returns how many comments have a value.
func (s AttributeStats) Count() int { return summaries.Count(s.Summary, s.of.Type) }

// Average returns nil if there are no numbers.
func (s AttributeStats) Average() *float64 {
	average, ok := s.Summary.Average()
	if !ok || !s.IsOfNumbers() {
		return nil
	}
	return &average
}

// Histogram returns the ranges that have numbers.
func (s AttributeStats) Histogram() []Bucket {
	if !s.IsOfNumbers() {
		return []Bucket{}
	}
	rows := s.Summary.Histogram()
	out := make([]Bucket, len(rows))
	for i, row := range rows {
		out[i] = Bucket(row)
	}
	return out
}

// booleans are what a boolean is counted as.
var booleans = []attributes.Option{{Value: "true"}, {Value: "false"}}

// Choices returns a row for each choice.
func (s AttributeStats) Choices() []ChoiceCount {
	var options []attributes.Option
	switch s.of.Type {
	case attributes.Choice:
		options = s.of.Options
	case attributes.Boolean:
		options = booleans
	}
	rows := make([]ChoiceCount, len(options))
	for i := range options {
		rows[i] = ChoiceCount{Choice: AttributeChoice{&options[i]}, Count: s.Summary.Choices[options[i].Value]}
	}
	return rows
}
