package reviews

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// attributeField is the field of an attribute in a form.
type attributeField struct {
	attribute
	Type    string // of the input; empty for one with choices
	Choices []fieldChoice
	Value   string
	Problem string
}

type fieldChoice struct{ Value, Label string }

// mostSteps is the most numbers of a scale that are offered as choices.
const mostSteps = 11

// attributeFields returns a field for each attribute, with the value that it has.
func (s *section) attributeFields(value func(key string) string) (all []attributeField) {
	for _, a := range s.Product.Attributes {
		f := attributeField{attribute: a, Type: "text", Value: value(a.Key)}
		switch a.Type {
		case "NUMBER":
			// A text, since browsers write numbers of type number as the system does.
			if a.Scale != nil && a.Scale.Maximum-a.Scale.Minimum < mostSteps && a.Scale.Minimum == float64(int(a.Scale.Minimum)) {
				for n := int(a.Scale.Minimum); float64(n) <= a.Scale.Maximum; n++ {
					f.Choices = append(f.Choices, fieldChoice{strconv.Itoa(n), s.Number(n)})
				}
			}
		case "DATE":
			if _, err := time.Parse(time.DateOnly, f.Value); err == nil || f.Value == "" { // not an instant
				f.Type = "date"
			}
		case "BOOLEAN":
			f.Choices = []fieldChoice{{"true", s.Text("yes")}, {"false", s.Text("no")}}
		case "CHOICE":
			for _, c := range a.Choices {
				f.Choices = append(f.Choices, fieldChoice{c.Value, c.Label})
			}
		}
		if f.Value != "" && f.Choices != nil && !slices.ContainsFunc(f.Choices, func(c fieldChoice) bool { return c.Value == f.Value }) {
			f.Choices = append(f.Choices, fieldChoice{f.Value, f.Value}) // such as 3.5, or one that was removed
		}
		all = append(all, f)
	}
	return all
}

// Name is the name of the field.
func (f attributeField) Name() string { return "a." + f.Key }

// fill sets the fields to the values that a person sent, and returns them for the API.
func (s *section) fill(sent url.Values) []map[string]string {
	s.Form.Attributes = s.attributeFields(func(key string) string { return sent.Get("a." + key) })
	input := []map[string]string{}
	for _, f := range s.Form.Attributes {
		input = append(input, map[string]string{"key": f.Key, "value": f.Value})
	}
	return input
}

// atAttribute puts a problem of a field such as attributes.2.value at its attribute, if it is one.
func (f *form) atAttribute(field, text string) bool {
	_, at, _ := strings.Cut(field, "attributes.")
	number, _, _ := strings.Cut(at, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n >= len(f.Attributes) {
		return false
	}
	f.Attributes[n].Problem, f.problems["attributes"] = text, text
	return true
}
