package resolvers

import (
	"context"
	"time"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// Comments resolves Product.comments.
func (r product) Comments(
	ctx context.Context, of *model.Product, language *string, languages []string, includeRegions *bool, ratings []int, withText, verifiedOnly *bool, attributes []plan.AttributeFilter, createdAfter, createdBefore *time.Time, orderBy *model.CommentOrder,
	first *int, after *string, last *int, before *string,
) (*model.CommentConnection, error) {
	f, err := filterArguments{language, languages, includeRegions, ratings, withText, verifiedOnly, attributes, orderBy, createdAfter, createdBefore}.parse(ctx, r.Store, of.ProductID)
	if err != nil {
		return nil, separate(ctx, err)
	}
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.CommentConnection, error) {
		return r.comments(ctx, f, w, cursorOf)
	}
	return connection(ctx, r.Resolver, kindOfCursors(f), f.Scope(), first, after, last, before, read)
}

// kindOfCursors returns which cursors a list of comments has: others where it is not by time.
func kindOfCursors(f plan.Filter) cursor.Kind[key.Position] {
	if f.Order.Field != plan.ByTime {
		return cursor.Ordered
	}
	return cursor.Comments
}

// comments returns the connection of a page of the comments that a filter lets through.
func (r product) comments(ctx context.Context, f plan.Filter, w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.CommentConnection, error) {
	facets := selects(ctx, "facets")
	if counted(f) && (facets || selects(ctx, "totalCount")) { // read while the page is, and in one batch with those of other pages
		loadersOf(ctx).expect(ctx, totalScope(f, facets))
	}
	var page store.Page
	var err error
	if w.Limit > 0 || selects(ctx, "pageInfo", "plan") { // otherwise nothing of it is asked for
		if page, err = r.Store.Page(ctx, f, w); err != nil {
			return nil, err
		}
	}
	connection := model.NewCommentConnection(page, f, cursorOf)
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

// VerifiedCount resolves ProductStats.verifiedCount. Only the statistics of any language
// tell of it.
func (productStats) VerifiedCount(ctx context.Context, of *model.ProductStats) (*int, error) {
	inAny := of.Statistics
	if scope := of.Scope; scope.Language != "" {
		var err error
		if inAny, err = loadersOf(ctx).statistics(ctx, stats.Scope{ProductID: scope.ProductID}); err != nil {
			return nil, err
		}
	}
	return of.VerifiedCount(inAny)
}
