package attributefilter

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key/sortable"
	"product-comments/store/read/plan"
)

// How many filters by attributes a list takes, and how many values one of them.
const (
	MaxFilters = 10
	MaxValues  = 20
)

// Filters checks the attribute filters of a list and returns them in the canonical form of
// plan.Filter. Errors name the filters' argument by field. It returns a BadUserInput error for each
// invalid filter, joined, and for an attribute that the products of a family define differently.
func (l *Lists) Filters(ctx context.Context, of plan.Filter, field string,
	given []plan.AttributeFilter) (all plan.Attributes, err error) {
	for i, product := range of.Products() {
		one, err := l.filters(ctx, product, field, given)
		if err != nil {
			return "", err
		}
		if i > 0 && one != all {
			return "", notAlike(field, given[0].Key)
		}
		all = one
	}
	return all, nil
}

// filters is Filters for a product.
func (l *Lists) filters(ctx context.Context, product, field string,
	given []plan.AttributeFilter) (plan.Attributes, error) {
	if len(given) == 0 {
		return "", nil
	}
	if n := len(given); n > MaxFilters {
		return "", errs.Invalid(field, "there are %d, the limit is %d", n, MaxFilters).For(errs.TooMany).
			Past(n, MaxFilters)
	}
	d, err := l.definitions.Definitions(ctx, product)
	if err != nil {
		return "", err
	}
	checked, wrong := make([]plan.AttributeFilter, len(given)), make([]error, 0, len(given))
	for i, f := range given {
		in := fmt.Sprintf("%s.%d", field, i)
		var spelled plan.AttributeFilter
		spelled, _, err := condition(d, in, f)
		if slices.ContainsFunc(given[:i], func(other plan.AttributeFilter) bool { return other.Key == f.Key }) {
			err = errs.Invalid(in+".key", "another filter has the same key").For(errs.Contradiction)
		}
		checked[i], wrong = spelled, append(wrong, err)
	}
	if err := errs.Join(wrong...); err != nil {
		return "", err
	}
	return plan.AttributesOf(checked...), nil
}

// Order checks that a list can be ordered by an attribute, which the argument named field gave. It
// returns the order of the attribute's values, see plan.Order, and the same errors as Filters.
func (l *Lists) Order(ctx context.Context, of plan.Filter, field, attribute string) (sorting string, err error) {
	var first *attributes.Definition
	for _, product := range of.Products() {
		d, err := l.definitions.Definitions(ctx, product)
		if err != nil {
			return "", err
		}
		def := d.Get(attribute)
		if def == nil {
			return "", notAnAttribute(field, attribute)
		}
		if first = cmp.Or(first, def); first.Type != def.Type || first.Sorting() != def.Sorting() {
			return "", notAlike(field, attribute)
		}
	}
	return first.Sorting(), nil
}

// notAlike is the error of an attribute whose values have no order that the products of a family
// share.
func notAlike(field, attribute string) error {
	return errs.Invalid(field, "the products of the family define %q differently: assign them to one group that defines it",
		item.Printable(attribute)).For(errs.NotAnAttribute)
}

func notAnAttribute(field, attribute string) error {
	return errs.Invalid(field, "the product has no attribute %q", item.Printable(attribute)).For(errs.NotAnAttribute)
}

// condition returns an attribute filter with its values in canonical form, and the condition
// that it states under the definitions.
func condition(d *attributes.Definitions, field string,
	f plan.AttributeFilter) (spelled plan.AttributeFilter, c plan.Condition, err error) {
	def := d.Get(f.Key)
	ranged := f.Min != nil || f.Max != nil
	switch {
	case def == nil:
		return f, c, notAnAttribute(field+".key", f.Key)
	case ranged && f.Equals != nil:
		return f, c, errs.Invalid(field+".equals", "give min and max or equals, not both").For(errs.Contradiction)
	case !ranged && len(f.Equals) == 0:
		return f, c, errs.Invalid(field, "it has no condition: give equals, min or max").For(errs.Required)
	case ranged && def.Type != attributes.Number && def.Type != attributes.Date:
		end := "min"
		if f.Min == nil {
			end = "max"
		}
		return f, c, errs.Invalid(field+"."+end,
			"%q has the type %s, and ranges are for numbers and dates only: give equals", f.Key, def.Type).
			For(errs.WrongType)
	case len(f.Equals) > MaxValues:
		n := len(f.Equals)
		return f, c, errs.Invalid(field+".equals", "there are %d, the limit is %d", n, MaxValues).
			For(errs.TooMany).Past(n, MaxValues)
	}
	spelled, c = plan.AttributeFilter{Key: f.Key}, plan.Condition{Attribute: f.Key, Shown: def.Shown, Count: -1}
	end := func(name string, given *string) (*string, []byte, error) {
		if given == nil {
			return nil, nil, nil
		}
		v, err := def.Parse(field+"."+name, *given)
		if err != nil {
			return nil, nil, err
		}
		text := v.String()
		return &text, v.Sort(), nil
	}
	var wrongMin, wrongMax error
	spelled.Min, c.Min, wrongMin = end("min", f.Min)
	spelled.Max, c.Max, wrongMax = end("max", f.Max)
	if err := errs.Join(wrongMin, wrongMax); err != nil {
		return f, c, err
	}
	if c.Min != nil && c.Max != nil && string(c.Min) > string(c.Max) {
		return f, c, errs.Invalid(field+".max", "it is less than min: swap them").For(errs.Contradiction)
	}
	for _, given := range f.Equals {
		v, err := def.Parse(field+".equals", given)
		if err != nil {
			return f, c, err
		}
		spelled.Equals, c.Equals = append(spelled.Equals, v.String()), append(c.Equals, v.Sort())
	}
	slices.SortFunc(c.Equals, bytes.Compare)
	c.Equals = slices.CompactFunc(c.Equals, bytes.Equal)
	if slices.ContainsFunc(c.Equals, sortable.IsCut) {
		c.Texts = spelled.Equals
	}
	return spelled, c, nil
}

// Refused returns the error for a page that no plan can read within its cost limit.
func Refused(p *plan.Plan) error {
	what := "The page exceeds the cost limit with this order and these filters"
	help := []string{"adding a filter by language or rating"}
	var hidden []string
	for i := range p.Conditions {
		if c := &p.Conditions[i]; !c.Shown {
			hidden = append(hidden, fmt.Sprintf("%q", c.Attribute))
		}
	}
	if len(hidden) > 0 {
		help = append([]string{"defining " + strings.Join(hidden, ", ") + " as shown"}, help...)
	}
	if len(p.Conditions) > 0 {
		help = append(help, "removing a filter")
	}
	return errs.Refuse(errs.BadUserInput, "costly_order", "%s (%s). Try %s, or another order", what, p.Reason,
		strings.Join(help, ", "))
}
