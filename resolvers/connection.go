package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

func (r product) Comments(ctx context.Context, of *model.Product, language *string, ratings []int, first *int, after *string, last *int, before *string) (model.CommentConnection, error) {
	f, err := parseFilter(of.ProductID, language, ratings)
	if err != nil {
		return model.CommentConnection{}, err
	}
	scope := f.Scope()
	w, err := parseWindow(r.Cursors.Decode, scope, first, after, last, before)
	if err != nil {
		return model.CommentConnection{}, err
	}
	if selectsTotalCount(ctx) { // read while the page is, and with those of other pages
		loadersOf(ctx).expect(ctx, statisticsScope(f))
	}
	page, err := r.Store.Page(ctx, f, store.Window(w))
	if err != nil {
		return model.CommentConnection{}, err
	}
	connection := model.NewCommentConnection(page, f, r.cursorOf(scope))
	connection.ShowPlan = r.Explain
	loadTexts(ctx, connection)
	return *connection, nil
}

// TotalCount returns what Comments has begun to read.
func (commentConnection) TotalCount(ctx context.Context, of *model.CommentConnection) (int, error) {
	statistics, err := loadersOf(ctx).statistics(ctx, statisticsScope(of.Filter))
	return statistics.Of(of.Filter.Ratings), err
}

// selectsTotalCount tells whether the connection that is being resolved is
// asked for its total count.
func selectsTotalCount(ctx context.Context) bool {
	for _, f := range graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}) {
		if f.Name == "totalCount" {
			return true
		}
	}
	return false
}

// statisticsScope is where the comments that a filter lets through are counted.
func statisticsScope(f plan.Filter) stats.Scope {
	return stats.Scope{ProductID: f.ProductID, Language: f.Language}
}

func parseFilter(productID string, language *string, ratings []int) (plan.Filter, error) {
	f := plan.Filter{ProductID: productID}
	var err error
	if f.Language, err = parseLanguage(language); err != nil {
		return f, err
	}
	f.Ratings, err = store.ValidateRatings("ratings", ratings)
	return f, err
}

// parseLanguage returns the empty language, which is any, for null.
func parseLanguage(tag *string) (string, error) {
	if tag == nil {
		return "", nil
	}
	return store.CanonicalLanguage("language", *tag)
}

func (r *Resolver) cursorOf(scope string) model.CursorOf[key.Position] {
	return func(p key.Position) (string, error) { return r.Cursors.Encode(scope, p) }
}
