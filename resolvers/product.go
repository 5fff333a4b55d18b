package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store/stats"
)

// Comments resolves Product.comments.
func (r product) Comments(
	ctx context.Context, of *model.Product, language *string, ratings []int,
	first *int, after *string, last *int, before *string,
) (*model.CommentConnection, error) {
	f, err := parseFilter(of.ProductID, language, ratings)
	if err != nil {
		return nil, separate(ctx, err)
	}
	cursors := r.commentCursors(f)
	w, err := parseWindow(cursors, first, after, last, before)
	if err != nil {
		return nil, separate(ctx, err)
	}
	if selectsTotalCount(ctx) { // it is read while the page is, and in one batch with those of other pages
		loadersOf(ctx).expect(ctx, statisticsScope(f))
	}
	page, err := r.Store.Page(ctx, f, w)
	if err != nil {
		return nil, err
	}
	connection := model.NewCommentConnection(page, f, cursors.Encode)
	connection.ShowPlan = r.may(ctx, access.SeePlans, "") == nil
	loadTexts(ctx, connection)
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
	return model.NewProductStats(statistics, scope), nil
}
