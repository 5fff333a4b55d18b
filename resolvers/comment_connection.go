package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// TotalCount resolves CommentConnection.totalCount, which Product.comments has
// begun to read. It is null without an error for a list that no statistics count: an
// error would make clients ask again.
func (r commentConnection) TotalCount(ctx context.Context, of *model.CommentConnection) (*int, error) {
	if of.Uncounted {
		return nil, nil
	}
	if of.Filter.Attributes != "" {
		n, ok, err := r.Store.CountByAttribute(ctx, of.Filter)
		if err != nil || !ok {
			return nil, err
		}
		return &n, nil
	}
	scope := totalScope(of.Filter, of.Facets)
	statistics, err := loadersOf(ctx).statistics(ctx, scope)
	if err != nil {
		return nil, err
	}
	if isScope(of.Filter, scope) {
		return new(statistics.Of(of.Filter.Ratings)), nil
	}
	total, err := model.Total(statistics, of.Filter)
	if own := totalScope(of.Filter, false); err != nil && isScope(of.Filter, own) { // whose own statistics tell
		if statistics, err = loadersOf(ctx).statistics(ctx, own); err == nil {
			total = statistics.Of(of.Filter.Ratings)
		}
	}
	if err != nil {
		return nil, err
	}
	return &total, nil
}

// Facets resolves CommentConnection.facets, which Product.comments has begun to read.
// It is null without an error for a list that no statistics count.
func (commentConnection) Facets(ctx context.Context, of *model.CommentConnection) (*model.CommentFacets, error) {
	if of.Uncounted || of.Filter.Attributes != "" {
		return nil, nil
	}
	statistics, err := loadersOf(ctx).statistics(ctx, anyLanguage(of.Filter))
	if err != nil {
		return nil, err
	}
	return model.NewCommentFacets(statistics, of.Filter)
}

// totalScope returns the statistics that count the comments of a filter: those of its
// language if they are all that is read, otherwise those of any language, which tell
// of each.
func totalScope(f plan.Filter, facets bool) stats.Scope {
	scope := anyLanguage(f)
	if own := (stats.Scope{ProductID: f.ProductID, Language: f.Languages.One()}); !facets && isScope(f, own) {
		return own
	}
	return scope
}

func anyLanguage(f plan.Filter) stats.Scope { return stats.Scope{ProductID: f.ProductID} }

// isScope tells whether the comments of a filter are those of a scope with some
// ratings.
func isScope(f plan.Filter, scope stats.Scope) bool {
	return string(f.Languages) == scope.Language && !f.Regions && f.Which().All()
}
