package resolvers

import (
	"context"
	"time"

	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// filterArguments are the arguments that filter a product's comments.
type filterArguments struct {
	language   *string
	languages  []string // nil if not given
	regions    *bool
	ratings    []int
	withText   *bool
	verified   *bool
	attributes []plan.AttributeFilter
	order      *model.CommentOrder
	// Range of creation times: createdAfter is inclusive, createdBefore exclusive.
	createdAfter, createdBefore *time.Time
}

// parse validates the arguments. It reads attribute definitions from the store.
func (a filterArguments) parse(ctx context.Context, s *store.Store, productID string) (f plan.Filter, err error) {
	f = plan.Filter{ProductID: productID, WithText: orZero(a.withText), VerifiedOnly: orZero(a.verified)}
	var wrongLanguages, wrongRatings error
	f.Languages, wrongLanguages = a.parseLanguages()
	f.Regions = orZero(a.regions) && !f.Languages.Any()
	var wrongOrder, wrongAttributes error
	f.Order, wrongOrder = a.parseOrder(ctx, s, productID)
	for i, of := range a.attributes {
		a.attributes[i].Min, a.attributes[i].Max = emptyToNil(of.Min), emptyToNil(of.Max)
	}
	f.Attributes, wrongAttributes = s.AttributeFilters(ctx, productID, "attributes", a.attributes)
	f.Ratings, wrongRatings = item.ValidateRatings("ratings", a.ratings)
	var wrongTimes error
	f.Created, wrongTimes = a.parseTimes(f.Order)
	return f, errs.Join(wrongLanguages, wrongRatings, wrongAttributes, wrongOrder, wrongTimes)
}

// parseTimes returns the range of creation times. Lists by votes or attributes have none, because
// their sort keys do not begin with the time.
func (a filterArguments) parseTimes(o plan.Order) (t key.Times, err error) {
	t = key.TimesOf(border(a.createdAfter), border(a.createdBefore))
	field := "createdAfter"
	if a.createdAfter == nil {
		field = "createdBefore"
	}
	switch {
	case t.Any():
	case o.ByColumn():
		err = errs.Invalid(field, "only lists by CREATED_AT or RATING take a range of times").For(errs.Contradiction)
	case !t.From.IsZero() && !t.Before.IsZero() && t.Before.Before(t.From):
		err = errs.Invalid("createdBefore", "it is earlier than createdAfter").For(errs.Contradiction)
	}
	return t, err
}

func (a filterArguments) parseLanguages() (key.Languages, error) {
	switch {
	case a.languages == nil:
		tag, err := parseLanguage(a.language)
		return key.Languages(tag), err
	case !isAbsent(a.language):
		return "", errs.Invalid("languages", "give language or languages, not both").For(errs.Contradiction)
	case len(a.languages) == 0:
		return "", errs.Invalid("languages", "it is empty: leave it out for any language").For(errs.Required)
	case len(a.languages) > graph.MaxLanguages:
		return "", errs.Invalid("languages", "there are %d, the limit is %d", len(a.languages), graph.MaxLanguages).For(errs.TooMany).Past(len(a.languages), graph.MaxLanguages)
	}
	tags := make([]string, len(a.languages))
	for i, tag := range a.languages {
		var err error
		if tags[i], err = item.CanonicalLanguage("languages", tag); err != nil {
			return "", err
		}
	}
	return key.LanguagesOf(tags...), nil
}

// parseOrder returns newest first by default.
func (a filterArguments) parseOrder(ctx context.Context, s *store.Store, productID string) (o plan.Order, err error) {
	if a.order == nil {
		return o, nil
	}
	const field = "orderBy.attribute"
	o = plan.Order{Field: a.order.Field, Ascending: a.order.Direction == model.OrderDirectionAsc}
	switch given := !isAbsent(a.order.Attribute); {
	case o.Field != plan.ByAttribute && given:
		return o, errs.Invalid(field, "it is allowed with the field ATTRIBUTE only: leave it out").For(errs.Contradiction)
	case o.Field != plan.ByAttribute:
		return o, nil
	case !given:
		return o, errs.Invalid(field, "it is missing: the field ATTRIBUTE requires the key of an attribute").For(errs.Required)
	}
	o.Attribute = *a.order.Attribute
	o.Sorting, err = s.AttributeOrder(ctx, productID, field, o.Attribute)
	return o, err
}

// orZero returns the zero value for a missing argument.
func orZero[T any](argument *T) (v T) {
	if argument != nil {
		v = *argument
	}
	return v
}

// parseLanguage returns the empty language, which matches any, for a missing argument.
func parseLanguage(tag *string) (string, error) {
	if isAbsent(tag) {
		return "", nil
	}
	return item.CanonicalLanguage("language", *tag)
}

// isAbsent reports whether an argument was not given. Some clients send an empty string instead of
// null.
func isAbsent(argument *string) bool { return argument == nil || *argument == "" }
