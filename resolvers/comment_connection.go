package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// TotalCount resolves CommentConnection.totalCount, which Product.comments has started to read. It
// is null without an error for a list that no statistics count, because an error would make
// clients retry.
func (r commentConnection) TotalCount(ctx context.Context, of *model.CommentConnection) (*int, error) {
	if of.Uncounted {
		return nil, nil
	}
	if n := of.Numbers; !of.Filter.Created.Any() && n != nil {
		if n.Err != nil {
			return nil, n.Err
		}
		return &n.Count, nil
	}
	if of.Filter.Attributes != "" {
		n, ok, err := r.Store.CountByAttribute(ctx, of.Filter) // cheaper, and has more comments
		if ok || err != nil {
			return &n, err
		}
		counts, err := loadersOf(ctx).matching(ctx, of.Filter)
		if counts == nil {
			return nil, err
		}
		n, err = model.Total(counts.Statistics(), of.Filter)
		return &n, err
	}
	scope := totalScope(of.Filter, of.Facets)
	statistics, err := loadersOf(ctx).statistics(ctx, scope)
	if err != nil {
		return nil, err
	}
	if isScope(of.Filter, scope) {
		return new(statistics.Count(of.Filter.Ratings)), nil
	}
	total, err := model.Total(statistics, of.Filter)
	// The statistics of the language are enough.
	if own := totalScope(of.Filter, false); err != nil && isScope(of.Filter, own) {
		if statistics, err = loadersOf(ctx).statistics(ctx, own); err == nil {
			total = statistics.Count(of.Filter.Ratings)
		}
	}
	if err != nil {
		return nil, err
	}
	return &total, nil
}

// Facets resolves CommentConnection.facets, which Product.comments has started to read. It is null
// without an error for a list that no statistics count and with too many comments to count.
func (commentConnection) Facets(ctx context.Context, of *model.CommentConnection) (*model.CommentFacets, error) {
	if n := of.Numbers; !of.Filter.Created.Any() && n != nil {
		if n.Err != nil {
			return nil, n.Err
		}
		return model.NewCommentFacets(n.Counts.Statistics(), of.Filter)
	}
	if of.Filter.Attributes != "" {
		counts, err := loadersOf(ctx).matching(ctx, of.Filter)
		if counts == nil {
			return nil, err
		}
		return model.NewCommentFacets(counts.Statistics(), of.Filter)
	}
	if of.Uncounted || !counted(of.Filter) {
		return nil, nil
	}
	statistics, err := loadersOf(ctx).statistics(ctx, anyLanguage(of.Filter))
	if err != nil {
		return nil, err
	}
	return model.NewCommentFacets(statistics, of.Filter)
}

// counted reports whether a product's statistics count the comments of a filter.
func counted(f plan.Filter) bool { return f.Attributes == "" && f.Created.Any() }

// totalScope returns the statistics that count the comments of a filter: of its language if only
// the total is read, otherwise of all languages, which include each one.
func totalScope(f plan.Filter, facets bool) stats.Scope {
	scope := anyLanguage(f)
	if own := (stats.Scope{ProductID: f.ProductID, Language: f.Languages.One()}); !facets && isScope(f, own) {
		return own
	}
	return scope
}

func anyLanguage(f plan.Filter) stats.Scope { return stats.Scope{ProductID: f.ProductID} }

// isScope reports whether a filter matches exactly the comments of a scope, apart from ratings.
func isScope(f plan.Filter, scope stats.Scope) bool {
	return string(f.Languages) == scope.Language && !f.Regions && f.Which().All()
}

// loadElsewhere loads the selected fields of a page that the index lacks: long texts, fields of
// imports, and for pages from a column also fields that every edit changes. It reads them in one
// batch with those of other pages that are resolved at the same time.
func (r *Resolver) loadElsewhere(ctx context.Context, connection *model.CommentConnection) {
	kept := selectsOfComments(ctx, "helpful", "helpfulCount", "unhelpfulCount") ||
		selectsOfComments(ctx, "attributes") && r.attributesElsewhere(ctx, connection.Filter.ProductID)
	indexes, ids := connection.Elsewhere(selectsOfComments(ctx, "text"), kept, selectsOfComments(ctx, "version", "updatedAt"))
	if len(ids) == 0 {
		return
	}
	comments, failed := loadersOf(ctx).comments(ctx, ids)
	for i, index := range indexes {
		switch {
		case failed != nil && failed[i] != nil:
			connection.Load(index, nil, failed[i])
		case comments[i] == nil:
			connection.Load(index, nil, errs.Errorf(errs.NotFound, "Comment %s was deleted while the page was read", ids[i]))
		default:
			connection.Load(index, comments[i], nil)
		}
	}
}

// selectsOfComments reports whether the query selects one of these fields of the connection's
// comments.
func selectsOfComments(ctx context.Context, fields ...string) bool {
	op := graphql.GetOperationContext(ctx)
	isWanted := func(f graphql.CollectedField) bool { return slices.Contains(fields, f.Name) }
	hasWanted := func(f graphql.CollectedField) bool {
		return slices.ContainsFunc(graphql.CollectFields(op, f.Selections, []string{"Comment", "Node"}), isWanted)
	}
	inEdge := func(f graphql.CollectedField) bool { return f.Name == "node" && hasWanted(f) }
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}), func(f graphql.CollectedField) bool {
		return f.Name == "nodes" && hasWanted(f) ||
			f.Name == "edges" && slices.ContainsFunc(graphql.CollectFields(op, f.Selections, []string{"CommentEdge"}),
				inEdge)
	})
}

// selects reports whether the query selects one of these fields of the connection.
func selects(ctx context.Context, fields ...string) bool {
	isWanted := func(f graphql.CollectedField) bool { return slices.Contains(fields, f.Name) }
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}), isWanted)
}
