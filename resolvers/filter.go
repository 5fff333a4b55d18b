package resolvers

import (
	"context"

	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// parseFilter validates the arguments that filter and order the comments of a product or a family. It
// reads attribute definitions from the store.
func parseFilter(
	ctx context.Context, s *store.Store, of plan.Filter, arguments model.CommentsArguments,
) (f plan.Filter, err error) {
	in := orZero(arguments.Filter)
	f = of
	f.WithText, f.VerifiedOnly, f.WithPhotos = orZero(in.WithText), orZero(in.VerifiedOnly), orZero(in.WithPhotos)
	f.Incentives = plan.IncentivesOf(in.Incentivized)
	var wrongLanguages, wrongRatings, wrongOrder, wrongAttributes, wrongTimes error
	f.Languages, wrongLanguages = parseLanguages(arguments.Language, in.Languages)
	f.Regions = orZero(in.IncludeRegions) && !f.Languages.Any()
	f.Order, wrongOrder = parseOrder(ctx, s, of, arguments.OrderBy)
	for i, of := range in.Attributes {
		in.Attributes[i].Min, in.Attributes[i].Max = emptyToNil(of.Min), emptyToNil(of.Max)
	}
	f.Attributes, wrongAttributes = s.Lists().Filters(ctx, of, "filter.attributes", in.Attributes)
	f.Ratings, wrongRatings = item.ValidateRatings("ratings", arguments.Ratings)
	f.Created, wrongTimes = parseTimes(in, f.Order)
	return f, errs.Join(wrongLanguages, wrongRatings, wrongAttributes, wrongOrder, wrongTimes)
}

// parseConditions validates the fields of a filter that comments are read for and discarded.
func parseConditions(product *string, ratings []int, withPhotos *bool, words *string) (c item.Conditions, err error) {
	var wrongProduct, wrongRatings, wrongWords error
	if !isAbsent(product) {
		c.ProductID, wrongProduct = parseID("filter.productId", *product, globalid.Product)
	}
	c.Ratings, wrongRatings = item.ValidateRatings("filter.ratings", ratings)
	c.Words, wrongWords = item.ParseWords("filter.words", words)
	c.WithPhotos = orZero(withPhotos)
	return c, errs.Join(wrongProduct, wrongRatings, wrongWords)
}

// parseTimes returns the range of creation times: createdAfter is inclusive, createdBefore
// exclusive. Lists by votes or attributes have none, because their sort keys do not begin with the
// time.
func parseTimes(in model.CommentFilter, o plan.Order) (t key.Times, err error) {
	t = key.TimesOf(item.Border(in.CreatedAfter), item.Border(in.CreatedBefore))
	field := "filter.createdAfter"
	if in.CreatedAfter == nil {
		field = "filter.createdBefore"
	}
	switch {
	case t.Any():
	case o.ByValue():
		err = errs.Invalid(field, "only lists by CREATED_AT or RATING take a range of times").For(errs.Contradiction)
	case !t.From.IsZero() && !t.Before.IsZero() && t.Before.Before(t.From):
		err = errs.Invalid("filter.createdBefore", "it is earlier than createdAfter").For(errs.Contradiction)
	}
	return t, err
}

// parseLanguages returns the languages of the argument or of the filter; nil is not given.
func parseLanguages(language *string, languages []string) (key.Languages, error) {
	const field = "filter.languages"
	switch {
	case languages == nil:
		tag, err := item.AnyLanguage("language", language)
		return key.Languages(tag), err
	case !isAbsent(language):
		return "", errs.Invalid(field, "give language or filter.languages, not both").For(errs.Contradiction)
	case len(languages) == 0:
		return "", errs.Invalid(field, "it is empty: leave it out for any language").For(errs.Required)
	case len(languages) > graph.MaxLanguages:
		return "", errs.Invalid(field, "there are %d, the limit is %d", len(languages), graph.MaxLanguages).
			For(errs.TooMany).Past(len(languages), graph.MaxLanguages)
	}
	tags := make([]string, len(languages))
	for i, tag := range languages {
		var err error
		if tags[i], err = item.CanonicalLanguage(field, tag); err != nil {
			return "", err
		}
	}
	return key.LanguagesOf(tags...), nil
}

// parseOrder returns newest first by default.
func parseOrder(
	ctx context.Context, s *store.Store, of plan.Filter, order *model.CommentOrder,
) (o plan.Order, err error) {
	if order == nil {
		return o, nil
	}
	const field = "orderBy.attribute"
	o = plan.Order{Field: order.Field, Ascending: order.Direction == model.OrderDirectionAsc}
	switch given := !isAbsent(order.Attribute); {
	case o.Field != plan.ByAttribute && given:
		return o, errs.Invalid(field, "it is allowed with the field ATTRIBUTE only: leave it out").For(errs.Contradiction)
	case o.Field != plan.ByAttribute:
		return o, nil
	case !given:
		return o, errs.Invalid(field, "it is missing: the field ATTRIBUTE requires the key of an attribute").For(errs.Required)
	}
	o.Attribute = *order.Attribute
	o.Sorting, err = s.Lists().Order(ctx, of, field, o.Attribute)
	return o, err
}

// orZero returns the zero value for a missing argument.
func orZero[T any](argument *T) (v T) {
	if argument != nil {
		v = *argument
	}
	return v
}

// isAbsent reports whether an argument was not given. Some clients send an empty string instead of
// null.
func isAbsent(argument *string) bool { return argument == nil || *argument == "" }
