package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/stats"
)

// Comments resolves Product.comments.
func (r product) Comments(
	ctx context.Context, of *model.Product, language *string, languages []string, includeRegions *bool, ratings []int, withText, verifiedOnly *bool, attributes []model.AttributeFilter, orderBy *model.CommentOrder,
	first *int, after *string, last *int, before *string,
) (*model.CommentConnection, error) {
	f, err := filterArguments{language, languages, includeRegions, ratings, withText, verifiedOnly, attributes, orderBy}.parse(ctx, r.Store, of.ProductID)
	if err != nil {
		return nil, separate(ctx, err)
	}
	cursors := r.commentCursors(f)
	w, err := parseWindow(cursors, first, after, last, before)
	if err != nil {
		return nil, separate(ctx, err)
	}
	facets := selects(ctx, "facets")
	if f.Attributes == "" && (facets || selects(ctx, "totalCount")) { // read while the page is, and in one batch with those of other pages
		loadersOf(ctx).expect(ctx, totalScope(f, facets))
	}
	var page store.Page
	if w.Limit > 0 || selects(ctx, "pageInfo", "plan") { // otherwise nothing of it is asked for
		if page, err = r.Store.Page(ctx, f, w); err != nil {
			return nil, err
		}
	}
	connection := model.NewCommentConnection(page, f, cursors.Encode)
	connection.Facets = facets
	connection.ShowPlan = r.may(ctx, access.SeePlans, "") == nil
	r.loadElsewhere(ctx, connection)
	return connection, r.showChanges(ctx, connection)
}

// Stats resolves Product.stats.
func (product) Stats(ctx context.Context, of *model.Product, language *string) (*model.ProductStats, error) {
	tag, err := parseLanguage(language)
	if err != nil {
		return nil, err
	}
	scope := stats.Scope{ProductID: of.ProductID, Language: tag}
	statistics, err := loadersOf(ctx).statistics(ctx, scope)
	if err != nil {
		return nil, err
	}
	return &model.ProductStats{Statistics: statistics, Scope: scope}, nil
}
