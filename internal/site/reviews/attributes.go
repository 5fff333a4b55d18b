package reviews

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/number"
)

// attribute is an attribute of a product's comments. Unit and Scale are of numbers.
type attribute struct {
	Key, Label, Type, Unit string
	Scale                  *scale // nil for none
	Choices                []struct{ Value, Label string }
}

// attribute returns the attribute of a key; one without a unit and a scale if there is none.
func (p *product) attribute(key string) attribute {
	if i := slices.IndexFunc(p.Attributes, func(a attribute) bool { return a.Key == key }); i >= 0 {
		return p.Attributes[i]
	}
	return attribute{Key: key, Label: key}
}

// choice returns the label of a choice; the value if there is none.
func (a attribute) choice(value string) string {
	for _, c := range a.Choices {
		if c.Value == value {
			return c.Label
		}
	}
	return value
}

// scale has the ends of a scale.
type scale struct{ Minimum, Maximum float64 }

// counts reports whether 4 on the scale is 4 of its maximum, as on one from 1 to 5.
func (s *scale) counts() bool { return s.Minimum == 0 || s.Minimum == 1 }

// percent returns how much of a bar a number fills.
func (s *scale) percent(n float64) int {
	least := s.Minimum
	if s.counts() {
		least = 0
	}
	return int(math.Round(100 * min(max((n-least)/(s.Maximum-least), 0), 1)))
}

// exact is how many digits of a number a float holds.
const exact = 15

// measure returns a number of an attribute with its unit and on its scale, such as 24 l or 4 of 5.
func (l *Labels) measure(a attribute, n float64, digits number.Option) string {
	text := l.withUnit(a.Unit, n, digits)
	if a.Scale == nil {
		return text
	}
	key := "range"
	if a.Scale.counts() {
		key = "average"
	}
	end := number.MaxFractionDigits(exact)
	return l.Text(key, "n", text, "least", l.withUnit(a.Unit, a.Scale.Minimum, end), "most", l.withUnit(a.Unit, a.Scale.Maximum, end))
}

// withUnit returns a number with a unit; empty for none. Thousands are not separated without a
// unit, because the number may be a year.
func (l *Labels) withUnit(unit string, n float64, digits number.Option) string {
	switch unit {
	case "":
		return l.decimal(n, digits, number.NoSeparator())
	case "%":
		return l.Text("percent", "n", l.decimal(n, digits))
	}
	return l.Text("unit", "n", l.decimal(n, digits), "unit", unit)
}

// average is the summary of an attribute over the comments: a mean or choices.
type average struct {
	Key, Label string
	Mean       string // of numbers; empty for none
	Scaled     bool   // whether the mean has a bar
	Percent    int    // of the bar
	Choices    []choice
}

// attributeStats is an answer to the operation ReviewsAttributes.
type attributeStats struct {
	Count   int
	Average *float64
	Choices []struct {
		Choice struct{ Value string }
		Count  int
	}
}

// averages returns the means of numeric attributes, and the choices of other attributes as filters.
// stats may be nil.
func (s *section) averages(stats map[string]attributeStats) (all []average) {
	for _, a := range s.Product.Attributes {
		one, of := average{Key: a.Key, Label: a.Label}, stats[a.Key]
		switch a.Type {
		case "NUMBER":
			if of.Average == nil {
				continue
			}
			one.Mean, one.Scaled = s.measure(a, tenths(*of.Average), number.Scale(1)), a.Scale != nil
			if one.Scaled {
				one.Percent = a.Scale.percent(*of.Average)
			}
		case "CHOICE", "BOOLEAN":
			for _, c := range of.Choices {
				text := a.choice(c.Choice.Value)
				if a.Type == "BOOLEAN" {
					text = s.yesOrNo(c.Choice.Value == "true")
				}
				if link := s.toggle(text, "a."+a.Key, c.Choice.Value, &c.Count); c.Count > 0 || link.On {
					one.Choices = append(one.Choices, link)
				}
			}
			if len(one.Choices) == 0 {
				continue
			}
		default:
			continue
		}
		all = append(all, one)
	}
	return all
}

// yesOrNo returns the label of a boolean.
func (l *Labels) yesOrNo(is bool) string {
	if is {
		return l.Text("yes")
	}
	return l.Text("no")
}

// value is an attribute of a comment to show.
type value struct{ Label, Text string }

// Values are the attributes of a comment.
func (s *section) Values(c Comment) (all []value) {
	for _, a := range c.Attributes {
		text, of := a.Value, s.Product.attribute(a.Definition.Key)
		switch {
		case a.Number != nil && len(text) <= exact && !strings.Contains(text, "e"):
			text = s.measure(of, *a.Number, number.MaxFractionDigits(exact))
		case a.Choice != nil:
			text = cmp.Or(a.Choice.Label, of.choice(a.Choice.Value))
		case a.Boolean != nil:
			text = s.yesOrNo(*a.Boolean)
		case a.Day != "":
			text = s.Day(a.Day)
		case a.Date != "":
			text = s.Day(a.Date)
		}
		all = append(all, value{cmp.Or(a.Definition.Label, of.Label), text})
	}
	return all
}
