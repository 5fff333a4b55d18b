package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/orders"
)

// parseProductID takes a global id of a product, or the shop's own id.
func parseProductID(field, id string) (string, error) {
	return parseID(field, id, model.TypeProduct, item.ValidateProductID)
}

// parseCommentID takes a global id of a comment, or the comment's own id.
func parseCommentID(field, id string) (string, error) {
	return parseID(field, id, model.TypeComment, item.ValidateCommentID)
}

// parseUsername takes a global id of a user, or the subject of their tokens. The viewer's
// own subject is theirs whatever it looks like.
func parseUsername(ctx context.Context, field, id string) (string, error) {
	if id != "" && id == access.From(ctx).Subject {
		return id, nil
	}
	return parseID(field, id, model.TypeUser, orders.ValidateUsername)
}

// parseOrderID takes a global id of an order, or the shop's own id.
func parseOrderID(field, id string) (string, error) {
	return parseID(field, id, model.TypeOrder, orders.ValidateID)
}

func parseID(field, id string, want model.NodeType, validate func(field, own string) error) (string, error) {
	own, err := ownID(field, id, want)
	if err != nil {
		return "", err
	}
	return own, validate(field, own)
}

// ownID returns the own id in a global id of the wanted type. Anything else than a
// global id is taken for an own id.
func ownID(field, id string, want model.NodeType) (string, error) {
	t, own, ok := model.ParseGlobalID(id)
	if !ok {
		return id, nil
	}
	if t != want {
		return "", errs.Invalid(field, "it is the id of a %s, not of a %s", t, want).For(errs.OtherKind)
	}
	return own, nil
}

// limitIDs bounds the argument ids.
func limitIDs(ids []string) error {
	if len(ids) > graph.MaxIDs {
		return errs.Invalid("ids", "there are %d, the limit is %d", len(ids), graph.MaxIDs).For(errs.TooMany).Past(len(ids), graph.MaxIDs)
	}
	return nil
}
