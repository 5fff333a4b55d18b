package resolvers

import (
	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// filterArguments are those that choose among a product's comments.
type filterArguments struct {
	language  *string
	languages []string // nil if it was not given
	regions   *bool
	ratings   []int
	withText  *bool
	order     *model.CommentOrder
}

// parse reads them.
func (a filterArguments) parse(productID string) (f plan.Filter, err error) {
	f = plan.Filter{ProductID: productID, WithText: isTrue(a.withText)}
	var wrongLanguages, wrongRatings error
	f.Languages, wrongLanguages = a.parseLanguages()
	f.Regions = isTrue(a.regions) && !f.Languages.Any()
	f.Order = a.parseOrder()
	f.Ratings, wrongRatings = item.ValidateRatings("ratings", a.ratings)
	return f, errs.Join(wrongLanguages, wrongRatings)
}

func (a filterArguments) parseLanguages() (key.Languages, error) {
	switch {
	case a.languages == nil:
		tag, err := parseLanguage(a.language)
		return key.Languages(tag), err
	case !none(a.language):
		return "", errs.Invalid("languages", "give language or languages, not both").For(errs.Contradiction)
	case len(a.languages) == 0:
		return "", errs.Invalid("languages", "it names none: leave it out for any language").For(errs.Required)
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

// orderFields are those of the schema, as the planner knows them.
var orderFields = map[model.CommentOrderField]plan.Field{
	model.CommentOrderFieldCreatedAt: plan.ByTime,
	model.CommentOrderFieldRating:    plan.ByRating,
}

// parseOrder returns newest first for none.
func (a filterArguments) parseOrder() plan.Order {
	if a.order == nil {
		return plan.Order{}
	}
	return plan.Order{Field: orderFields[a.order.Field], Ascending: a.order.Direction == model.OrderDirectionAsc}
}

func isTrue(argument *bool) bool { return argument != nil && *argument }

// parseLanguage returns the empty language, which is any, for none.
func parseLanguage(tag *string) (string, error) {
	if none(tag) {
		return "", nil
	}
	return item.CanonicalLanguage("language", *tag)
}

// none reports whether an argument was not given: clients that have no null, or do
// not care to send it, send an empty string.
func none(argument *string) bool { return argument == nil || *argument == "" }
