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

// validateID says what is wrong with the own id of an object, by its type.
var validateID = map[model.NodeType]func(field, own string) error{
	model.TypeProduct: item.ValidateProductID, model.TypeComment: item.ValidateCommentID,
	model.TypeUser: orders.ValidateUsername, model.TypeOrder: orders.ValidateID,
}

// parseUsername takes what parseID does. The viewer's own subject is theirs whatever it
// looks like.
func parseUsername(ctx context.Context, field, id string) (string, error) {
	if id != "" && id == access.From(ctx).Subject {
		return id, nil
	}
	return parseID(field, id, model.TypeUser)
}

// parseID takes a global id of an object of the wanted type, or the shop's own id.
func parseID(field, id string, want model.NodeType) (string, error) {
	own, err := ownID(field, id, want)
	if err != nil {
		return "", err
	}
	return own, validateID[want](field, own)
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
