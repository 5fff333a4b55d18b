package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store/stats"
)

func (product) Stats(ctx context.Context, of *model.Product, language *string) (model.ProductStats, error) {
	tag, err := parseLanguage(language)
	if err != nil {
		return model.ProductStats{}, err
	}
	scope := stats.Scope{ProductID: of.ProductID, Language: tag}
	statistics, err := loadersOf(ctx).statistics(ctx, scope)
	return model.NewProductStats(statistics, scope), err
}
