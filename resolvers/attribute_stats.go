package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store/summaries"
)

// AttributeStats resolves Product.attributeStats.
func (r product) AttributeStats(ctx context.Context, of *model.Product, key string, language *string) (*model.AttributeStats, error) {
	tag, err := parseLanguage(language)
	if err != nil {
		return nil, err
	}
	definitions, err := r.Store.Attributes().Of(ctx, of.ProductID)
	if err != nil {
		return nil, err
	}
	def := definitions.Of(key)
	if def == nil {
		return nil, nil
	}
	read, err := loadersOf(ctx).summaries(ctx, summaries.PlaceOf(of.ProductID, tag, key))
	if err != nil {
		return nil, err
	}
	return &model.AttributeStats{Summary: read[key], Of: def, ProductID: of.ProductID, Language: tag}, nil
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
	extreme, ok, err := r.Store.Extreme(ctx, of.ProductID, of.Language, of.Key(), of.Summary, greatest)
	if err != nil || !ok {
		return nil, err
	}
	return &extreme, nil
}
