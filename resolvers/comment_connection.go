package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// TotalCount resolves CommentConnection.totalCount, which Product.comments has
// begun to read.
func (r commentConnection) TotalCount(ctx context.Context, of *model.CommentConnection) (*int, error) {
	if of.Uncounted {
		return nil, errs.Errorf(errs.Unavailable, "How many comments somebody wrote is not counted: the pages have them")
	}
	if of.Filter.Attributes != "" {
		n, ok, err := r.Store.CountByAttribute(ctx, of.Filter)
		if err == nil && !ok {
			err = notCounted("How many comments there are")
		}
		if err != nil {
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
		total := statistics.Of(of.Filter.Ratings)
		return &total, nil
	}
	total, err := model.Total(statistics, of.Filter)
	if own := totalScope(of.Filter, false); err != nil && isScope(of.Filter, own) { // which older statistics have, too
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
func (commentConnection) Facets(ctx context.Context, of *model.CommentConnection) (*model.CommentFacets, error) {
	if of.Uncounted {
		return nil, errs.Errorf(errs.Unavailable, "What other choices would show of what somebody wrote is not counted")
	}
	if of.Filter.Attributes != "" {
		return nil, notCounted("What other choices would show")
	}
	statistics, err := loadersOf(ctx).statistics(ctx, anyLanguage(of.Filter))
	if err != nil {
		return nil, err
	}
	return model.NewCommentFacets(statistics, of.Filter)
}

// notCounted is the error of counts of a filter by attributes, which no statistics keep.
func notCounted(what string) error {
	return errs.Errorf(errs.Unavailable, "%s with these values of attributes is not counted: the page has them", what)
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
