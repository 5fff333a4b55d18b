package resolvers

import (
	"cmp"
	"context"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
	"product-comments/store/orders"
	"product-comments/store/read/plan"
)

// Viewer resolves Query.viewer.
func (query) Viewer(ctx context.Context) (*model.Viewer, error) {
	if v := access.From(ctx); v.Role != access.Anonymous {
		return &model.Viewer{Viewer: v}, nil
	}
	return nil, nil
}

// Node resolves Query.node.
func (r query) Node(ctx context.Context, id string) (model.Node, error) {
	nodes, err := r.nodes(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return nodes[0], nil
}

// Nodes resolves Query.nodes.
func (r query) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if err := limitIDs(ids); err != nil {
		return nil, err
	}
	return r.nodes(ctx, ids)
}

// Product resolves Query.product.
func (r query) Product(_ context.Context, id string) (*model.Product, error) {
	productID, err := parseID("id", id, globalid.Product)
	if err != nil {
		return nil, err
	}
	return &model.Product{ProductID: productID}, nil
}

// Products resolves Query.products.
func (r query) Products(_ context.Context, ids []string) ([]model.Product, error) {
	if err := limitIDs(ids); err != nil {
		return nil, err
	}
	products := make([]model.Product, len(ids))
	for i, id := range ids {
		productID, err := parseID("ids", id, globalid.Product)
		if err != nil {
			return nil, err
		}
		products[i].ProductID = productID
	}
	return products, nil
}

// Comment resolves Query.comment.
func (r query) Comment(ctx context.Context, id string) (*model.Comment, error) {
	commentID, err := parseID("id", id, globalid.Comment)
	if err != nil {
		return nil, err
	}
	c, err := loadersOf(ctx).comment(ctx, commentID)
	if c == nil || err != nil {
		return nil, err
	}
	return new(r.comment(ctx, c)), nil
}

// nodes returns the objects with these global ids: same order, same length, nil where there is
// none.
func (r *Resolver) nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	nodes := make([]model.Node, len(ids))
	var commentIDs []string
	var indexes []int
	for i, id := range ids {
		switch t, own, ok := globalid.Read(id); {
		case !ok || validateID[t]("", own) != nil:
		case t == globalid.Product:
			nodes[i] = model.Product{ProductID: own}
		case t == globalid.Comment:
			commentIDs, indexes = append(commentIDs, own), append(indexes, i)
		case t == globalid.Family:
			f, err := loadersOf(ctx).family(ctx, own)
			if err != nil {
				return nil, err
			}
			if f != nil {
				nodes[i] = model.Family{Of: f}
			}
		default:
			var err error
			if nodes[i], err = r.privateNode(ctx, t, own); err != nil {
				return nil, err
			}
		}
	}
	at := loadersOf(ctx).comments(ctx, commentIDs)
	for i, index := range indexes {
		c, err := at(i)
		if err != nil {
			return nil, err
		}
		if c != nil {
			nodes[index] = r.comment(ctx, c)
		}
	}
	return nodes, nil
}

// privateNode returns a user or an order; nil if there is none that the viewer may see. A request
// names few of them, so each is read separately.
func (r *Resolver) privateNode(ctx context.Context, t globalid.Kind, id string) (model.Node, error) {
	viewer := access.From(ctx)
	switch {
	case t == globalid.User && r.Rules.May(viewer, access.SeeOrders, id) == access.Yes:
		u, err := r.user(ctx, id)
		if err != nil || u == nil {
			return nil, err
		}
		return *u, nil
	case t == globalid.Order && r.Rules.May(viewer, access.SeeOrders, viewer.Subject) == access.Yes:
		o, err := r.order(ctx, id)
		if err != nil || o == nil {
			return nil, err
		}
		return *o, nil
	}
	return nil, nil
}

// validateID validates the own id of an object, by its type.
var validateID = map[globalid.Kind]func(field, own string) error{
	globalid.Product: item.ValidateProductID, globalid.Family: item.ValidateProductID, globalid.Comment: item.ValidateCommentID,
	globalid.User: orders.ValidateUsername, globalid.Order: orders.ValidateID,
}

// parseUsername accepts what parseID accepts, and the viewer's own subject in any form.
func parseUsername(ctx context.Context, field, id string) (string, error) {
	if id != "" && id == access.From(ctx).Subject {
		return id, nil
	}
	return parseID(field, id, globalid.User)
}

// parseID returns the own id of an object of the wanted kind.
func parseID(field, id string, want globalid.Kind) (string, error) {
	own, err := globalid.Parse(field, id, want)
	return own, cmp.Or(err, validateID[want](field, own))
}

// limitIDs limits the argument ids.
func limitIDs(ids []string) error {
	if len(ids) > graph.MaxIDs {
		return errs.Invalid("ids", "there are %d, the limit is %d", len(ids),
			graph.MaxIDs).For(errs.TooMany).Past(len(ids), graph.MaxIDs)
	}
	return nil
}

// Leaderboard resolves Query.leaderboard.
func (r query) Leaderboard(
	ctx context.Context, in model.WindowArguments, by *model.LeaderboardOrder, language *string,
) (*model.LeaderboardConnection, error) {
	tag, wrong := item.AnyLanguage("language", language)
	of := store.Board{ByScore: by != nil && *by == model.LeaderboardOrderScore, Language: tag}
	read := func(w list.Window[key.Rank], cursorOf model.CursorOf[key.Rank]) (*model.LeaderboardConnection, error) {
		page, err := r.Store.Leaderboard(ctx, of, w)
		return model.NewLeaderboardConnection(page, of, cursorOf), err
	}
	return connection(ctx, r.Resolver, cursor.Ranks, of.Scope(), wrong, in, read)
}

// FiveStarCount resolves LeaderboardEdge.fiveStarCount: from the statistics, for all edges in one
// batch, because the leaderboard's entry may be older than the statistics.
func (leaderboardEdge) FiveStarCount(ctx context.Context, of *model.LeaderboardEdge) (int, error) {
	statistics, err := loadersOf(ctx).statistics(ctx, plan.Filter{ProductID: of.Scope.ProductID, Languages: key.Languages(of.Scope.Language)})
	return statistics.Tally[4], err
}
