package resolvers

import (
	"context"
	"strconv"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
)

// Family resolves Query.family.
func (query) Family(ctx context.Context, id string) (*model.Family, error) {
	own, err := parseID("id", id, globalid.Family)
	if err != nil {
		return nil, err
	}
	return familyOrNil(loadersOf(ctx).family(ctx, own))
}

// Family resolves Product.family.
func (product) Family(ctx context.Context, of *model.Product) (*model.Family, error) {
	return familyOrNil(loadersOf(ctx).familyOf(ctx, of.ProductID))
}

func familyOrNil(f *store.Family, err error) (*model.Family, error) {
	if f == nil || err != nil {
		return nil, err
	}
	return &model.Family{Of: f}, nil
}

// Comments resolves Family.comments.
func (r family) Comments(
	ctx context.Context, of *model.Family, in model.CommentsArguments,
) (*model.CommentConnection, error) {
	return r.list(ctx, store.FilterOf(of.Of), in)
}

// Stats resolves Family.stats.
func (r family) Stats(
	ctx context.Context, of *model.Family, language *string, includeIncentivized *bool,
) (*model.ProductStats, error) {
	return r.stats(ctx, store.FilterOf(of.Of), language, includeIncentivized)
}

// DefineFamily resolves Mutation.defineFamily.
func (r mutation) DefineFamily(ctx context.Context, in model.DefineFamilyInput) (*model.DefineFamilyPayload, error) {
	if err := r.authorize(ctx, access.DefineFamilies, ""); err != nil {
		return nil, err
	}
	f := store.Family{Label: orZero(in.Label), Products: make([]string, len(in.ProductIds))}
	id, wrong := globalid.Parse("familyId", in.FamilyID, globalid.Family)
	f.ID = id
	for i, text := range in.ProductIds {
		product, err := globalid.Parse("productIds."+strconv.Itoa(i), text, globalid.Product)
		f.Products[i], wrong = product, errs.Join(wrong, err)
	}
	if wrong != nil {
		return nil, errs.Join(wrong, f.Validate())
	}
	err := r.Store.Families().Define(ctx, f)
	if err != nil || len(f.Products) == 0 {
		return &model.DefineFamilyPayload{}, err
	}
	return &model.DefineFamilyPayload{Family: &model.Family{Of: &f}}, nil
}
