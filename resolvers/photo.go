package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
	renditions "product-comments/store/key/photo"
	"product-comments/store/read/plan"
)

// photosOf returns the photos of an input.
func photosOf(in []model.PhotoInput) []store.Photo {
	return model.MapList(in, func(p *model.PhotoInput) store.Photo {
		return store.Photo{ID: p.ID, Description: orZero(p.Description)}
	})
}

// URL resolves Photo.url.
func (r photo) URL(_ context.Context, of *model.Photo, width int) (*string, error) {
	if r.PhotoURL == nil {
		return nil, nil
	}
	return new(r.PhotoURL(of.ID, renditions.Rendition(of.Width, width), of.Published)), nil
}

// Photos resolves Product.photos.
func (r product) Photos(
	ctx context.Context, of *model.Product, in model.WindowArguments, filter *model.CommentFilter,
) (*model.PhotoConnection, error) {
	f, wrong := parseFilter(ctx, r.Store, plan.Filter{ProductID: of.ProductID}, model.CommentsArguments{Filter: filter})
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.PhotoConnection, error) {
		page, err := r.Store.Photos(ctx, f, w)
		if err != nil {
			return nil, err
		}
		var comments store.Page
		for i := range page.Items {
			if c := page.Items[i].Comment; i == 0 || c != page.Items[i-1].Comment {
				comments.Items = append(comments.Items, c)
			}
		}
		connection := model.NewCommentConnection(comments, f, nil)
		r.loadElsewhere(ctx, connection)
		if err := r.setPermissions(ctx, connection); err != nil {
			return nil, err
		}
		return model.NewPhotoConnection(page, connection, cursorOf), nil
	}
	return connection(ctx, r.Resolver, cursor.Photos, f.Scope(), wrong, in, read)
}

// RemovePhoto resolves Mutation.removePhoto.
func (r mutation) RemovePhoto(ctx context.Context, in model.RemovePhotoInput) (*model.CommentPayload, error) {
	guard, err := r.guard(ctx, access.Moderate)
	if err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Comment)
	if err != nil {
		return nil, errs.Join(err, item.ValidatePhotoID("photoId", in.PhotoID),
			item.ValidateReason("reason", item.Said(orZero(in.Reason)), false))
	}
	c, err := r.Store.RemovePhoto(ctx, store.PhotoRemoval{ID: id, PhotoID: in.PhotoID, By: access.From(ctx).Subject,
		Reason: orZero(in.Reason), ExpectedVersion: in.ExpectedVersion, Guard: guard})
	return &model.CommentPayload{Comment: r.comment(ctx, &c)}, err
}
