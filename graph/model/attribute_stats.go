package model

import (
	"product-comments/store/attributes"
	"product-comments/store/summaries"
	"product-comments/store/summary"
)

// AttributeStats are the statistics of an attribute as the schema shows them.
type AttributeStats struct {
	Summary             summary.Summary
	Of                  *attributes.Definition
	ProductID, Language string // empty for any language
}

// Key returns the key of the attribute.
func (s AttributeStats) Key() string { return s.Of.Key }

// IsOfNumbers tells whether the attribute's values are numbers.
func (s AttributeStats) IsOfNumbers() bool { return s.Of.Type == attributes.Number }

// Count returns how many comments have a value.
func (s AttributeStats) Count() int { return summaries.Count(s.Summary, s.Of.Type) }

// Average returns nil if there are no numbers.
func (s AttributeStats) Average() *float64 {
	average, ok := s.Summary.Average()
	return ifAny(average, ok && s.IsOfNumbers())
}

// Histogram returns the ranges that have numbers.
func (s AttributeStats) Histogram() []summary.Bucket {
	if !s.IsOfNumbers() {
		return []summary.Bucket{}
	}
	return s.Summary.Histogram()
}

// booleans are what a boolean is counted as.
var booleans = []attributes.Option{{Value: "true"}, {Value: "false"}}

// Choices returns a row for each choice.
func (s AttributeStats) Choices() []ChoiceCount {
	var options []attributes.Option
	switch s.Of.Type {
	case attributes.Choice:
		options = s.Of.Options
	case attributes.Boolean:
		options = booleans
	}
	return each(options, func(o *attributes.Option) ChoiceCount {
		return ChoiceCount{Choice: AttributeChoice{o}, Count: s.Summary.Choices[o.Value]}
	})
}
