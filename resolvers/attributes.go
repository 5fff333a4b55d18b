package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/settings/definitions"
)

// Attributes resolves Product.attributes.
func (r product) Attributes(ctx context.Context, of *model.Product) ([]model.AttributeDefinition, error) {
	d, err := r.Store.Attributes().Definitions(ctx, of.ProductID)
	if err != nil {
		return nil, err
	}
	return model.NewAttributeDefinitions(d.List()), nil
}

// Attributes resolves Comment.attributes.
func (r comment) Attributes(ctx context.Context, of *model.Comment) ([]model.Attribute, error) {
	given, err := of.Given()
	if err != nil {
		return nil, err
	}
	d, err := r.Store.Attributes().Definitions(ctx, of.Product().ProductID)
	if err != nil {
		return nil, err
	}
	return model.NewAttributes(d.Values(given)), nil
}

// attributesElsewhere reports whether lists of a product's comments lack some of their attributes.
// It ignores errors, which the resolver of the attributes reports.
func (r *Resolver) attributesElsewhere(ctx context.Context, product string) bool {
	d, err := r.Store.Attributes().Definitions(ctx, product)
	if err != nil || !d.Any() {
		return false
	}
	if !d.AllShown() {
		return true
	}
	complete, err := r.Store.AttributeIndex().Complete(ctx, product)
	return err != nil || !complete
}

// DefineAttributes resolves Mutation.defineAttributes.
func (r mutation) DefineAttributes(
	ctx context.Context, in model.DefineAttributesInput,
) (*model.DefineAttributesPayload, error) {
	if err := r.authorize(ctx, access.DefineAttributes, ""); err != nil {
		return nil, err
	}
	change, err := parseDefinitions(in)
	if err != nil {
		return nil, err
	}
	unconverted, err := r.Store.Attributes().Define(ctx, change)
	if err != nil {
		return nil, err
	}
	now, err := r.definitions(ctx, change.Scope)
	return &model.DefineAttributesPayload{Definitions: model.NewAttributeDefinitions(now),
		Unconverted: model.MapList(unconverted, func(key *string) model.UnconvertedAttribute {
			return model.UnconvertedAttribute{Key: *key}
		})}, err
}

// definitions returns the definitions of a product or a group after a change.
func (r *Resolver) definitions(ctx context.Context, of definitions.Scope) ([]attributes.Definition, error) {
	if of.Group != "" {
		list, err := r.Store.Attributes().Own(ctx, of)
		for i := range list {
			list[i].Group = of.Group
		}
		return list, err
	}
	d, err := r.Store.Attributes().Definitions(ctx, of.Product)
	if err != nil {
		return nil, err
	}
	return d.List(), nil
}

// AssignGroup resolves Mutation.assignGroup.
func (r mutation) AssignGroup(ctx context.Context, in model.AssignGroupInput) (*model.AssignGroupPayload, error) {
	if err := r.authorize(ctx, access.DefineAttributes, ""); err != nil {
		return nil, err
	}
	change := definitions.Assignment{Group: orZero(in.Group), Force: orZero(in.Force)}
	productID, err := parseID("id", in.ID, globalid.Product)
	if err != nil && change.Group != "" {
		err = errs.Join(err, attributes.ValidateGroup("group", change.Group))
	}
	if err != nil {
		return nil, err
	}
	change.Product = productID
	return &model.AssignGroupPayload{Product: model.Product{ProductID: productID}}, r.Store.Attributes().Assign(ctx, change)
}

// parseDefinitions parses the input. If the product's id is invalid it returns all errors of the
// input, because the store, which would report the others, is not called.
func parseDefinitions(in model.DefineAttributesInput) (definitions.Change, error) {
	change := definitions.Change{Force: orZero(in.Force),
		Definitions: make([]attributes.Definition, len(in.Definitions))}
	change.Group = orZero(in.Group)
	for i, d := range in.Definitions {
		change.Definitions[i] = attributes.Definition{
			Key: d.Key, Labels: d.Labels, Type: d.Type, Options: d.Choices,
			Position: i, Shown: orZero(d.Shown), Locale: orZero(d.Locale), Address: orZero(d.Address),
			Unit: orZero(d.Unit), Scale: d.Scale,
		}
		if d.Position != nil {
			change.Definitions[i].Position = *d.Position
		}
	}
	if isAbsent(in.ProductID) {
		return change, nil
	}
	productID, err := parseID("productId", *in.ProductID, globalid.Product)
	change.Product = productID
	if err != nil {
		return change, errs.Join(err, change.Problems())
	}
	return change, nil
}

// AttributeStats resolves Product.attributeStats.
func (r product) AttributeStats(
	ctx context.Context, of *model.Product, key string, language *string,
) (*model.AttributeStats, error) {
	tag, err := item.AnyLanguage("language", language)
	if err != nil {
		return nil, err
	}
	definitions, err := r.Store.Attributes().Definitions(ctx, of.ProductID)
	if err != nil {
		return nil, err
	}
	def := definitions.Get(key)
	if def == nil {
		return nil, nil
	}
	attribute := store.Attribute{ProductID: of.ProductID, Language: tag, Key: key}
	counted, err := loadersOf(ctx).summary(ctx, attribute)
	return &model.AttributeStats{Attribute: attribute, Summary: counted, Of: def}, err
}

// Minimum resolves AttributeStats.minimum.
func (r attributeStats) Minimum(ctx context.Context, of *model.AttributeStats) (*float64, error) {
	return r.extreme(ctx, of, false)
}

// Maximum resolves AttributeStats.maximum.
func (r attributeStats) Maximum(ctx context.Context, of *model.AttributeStats) (*float64, error) {
	return r.extreme(ctx, of, true)
}

func (r attributeStats) extreme(ctx context.Context, of *model.AttributeStats, greatest bool) (*float64, error) {
	if !of.IsOfNumbers() {
		return nil, nil
	}
	extreme, ok, err := r.Store.Lists().Extreme(ctx, of.Attribute, of.Summary, greatest)
	if err != nil || !ok {
		return nil, err
	}
	return &extreme, nil
}
