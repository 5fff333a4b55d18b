package store

import (
	"context"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/index/photos"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// Photo is a picture of a comment.
type Photo = item.Photo

// UploadedPhoto records that a person uploads a photo, or a program of the shop for an import if the
// subject is empty. Call it before the photo's bytes are stored, so that none are forgotten: a photo
// that no comment takes within a day is deleted. It returns BadUserInput for a photo that no comment
// could have, and Conflict if there is one with the id.
func (s *Store) UploadedPhoto(ctx context.Context, p Photo, subject string) error {
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	return s.photos.Upload(ctx, p, subject)
}

// PhotoVisible reports whether there is a photo that is not deleted, and whether it is of a published
// comment. It reads the photo's record and the comment, strongly consistent.
func (s *Store) PhotoVisible(ctx context.Context, id string) (published, found bool, err error) {
	if item.ValidatePhotoID("id", id) != nil {
		return false, false, nil
	}
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	of, found, err := s.photos.Of(ctx, id)
	if err != nil || of == "" {
		return false, found, err
	}
	it, err := s.getItem(ctx, of)
	if err != nil || it == nil { // it was deleted between the two reads
		return false, false, err
	}
	c, err := item.Read(it, "")
	if err != nil || !photos.Has(c.Photos, id) {
		return false, false, err
	}
	return c.State == item.Published, true, nil
}

// UnknownPhotos returns the ids that no photo has a record of, so that nothing will ever delete their
// bytes. It reads strongly consistent.
func (s *Store) UnknownPhotos(ctx context.Context, ids []string) (unknown []string, err error) {
	known, err := s.photos.Known(ctx, ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return known[id] }), nil
}

// EachWithPhotos calls each for every comment that has photos, in any state, without its long text;
// calls may overlap. It scans the whole table, and returns the first error of each.
func (s *Store) EachWithPhotos(ctx context.Context, o ScanOptions, each func(context.Context, *Comment) error) error {
	return s.t.NewScanner(o).Run(table.Patiently(ctx), func(ctx context.Context, it table.Item) error {
		if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || it[item.AttrPhotos] == nil || item.IsDeleted(it) {
			return nil
		}
		c, err := item.Read(it, "")
		if err != nil {
			return err
		}
		return each(ctx, &c.Comment)
	})
}

// PhotoRemoval is the decision of a moderator to remove a photo from a comment.
type PhotoRemoval struct {
	ID, PhotoID     string
	By              string // the subject of the person who decides
	Reason          string
	ExpectedVersion *int // as for Ruling
	Guard           Guard
}

// RemovePhoto removes a photo from a comment, and adds the decision to its history. The comment gets
// another version, and its update time does not change. The removal of a photo that the comment does
// not have writes nothing, so it can be repeated. It returns BadUserInput for invalid input, NotFound
// if there is no such comment, the error of Guard, or Conflict if ExpectedVersion does not match.
func (s *Store) RemovePhoto(ctx context.Context, r PhotoRemoval) (Comment, error) {
	r.Reason = item.Said(r.Reason)
	if err := errs.Join(item.ValidateCommentID("id", r.ID), item.ValidatePhotoID("photoId", r.PhotoID),
		item.ValidateReason("reason", r.Reason, false)); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, r.ID, r.Guard, func(_ context.Context, before *item.Stored) (*item.Stored, extra, error) {
		if !photos.Has(before.Photos, r.PhotoID) {
			return before, extra{}, nil
		}
		if err := checkVersion(r.ExpectedVersion, before); err != nil {
			return before, extra{}, err
		}
		after := *before
		after.Photos = slices.DeleteFunc(slices.Clone(before.Photos), func(p Photo) bool { return p.ID == r.PhotoID })
		after.Version++
		return &after, extra{decision: &moderation.Decision{From: before.State, To: before.State, By: r.By, At: s.t.Now().UTC(),
			PhotoID: r.PhotoID, Why: item.Why{Reason: r.Reason}}}, nil
	})
}

// CommentPhoto is a photo in a list, with its comment.
type CommentPhoto struct {
	Photo
	Comment *Comment
	number  int // among the comment's photos, from 0
}

// Position returns the position in the list: the comment's, with the photo's number as the range.
func (p *CommentPhoto) Position() key.Position {
	at := p.Comment.Position()
	at.Range = p.number
	return at
}

// Photos reads a window of the photos of the comments that pass a filter, which must have no order:
// newest comments first, and the photos of a comment in its order. It costs as much as a page of two
// comments more, since each has one photo or more; with Before within a comment a query more.
func (s *Store) Photos(ctx context.Context, f plan.Filter, w Window) (page list.Page[CommentPhoto], err error) {
	f.WithPhotos = true
	part := Window{Limit: w.Limit + 1, Backward: w.Backward}
	if w.After != nil { // the comment at After may have further photos, or none
		part.After, part.Limit = new(w.After.JustBefore()), w.Limit+2
	}
	if w.Before != nil {
		part.Before = new(*w.Before)
		part.Before.Range = 0
	}
	read, err := s.Page(ctx, f, part)
	comments := read.Items
	if err == nil && w.Before != nil && w.Before.Range > 0 && (w.Backward || len(comments) < part.Limit) {
		var at Page
		if at, err = s.Page(ctx, f, Window{Limit: 1, After: new(w.Before.JustBefore())}); len(at.Items) > 0 && key.Compare(at.Position(0), *part.Before) == 0 {
			comments = append(slices.Clip(comments), at.Items[0])
		}
	}
	if err != nil {
		return page, err
	}
	var all []CommentPhoto
	for _, c := range comments {
		for n, photo := range c.Photos {
			p := CommentPhoto{photo, c, n}
			if (w.After == nil || follows(p.Position(), *w.After)) && (w.Before == nil || follows(*w.Before, p.Position())) {
				all = append(all, p)
			}
		}
	}
	if w.Backward {
		slices.Reverse(all)
	}
	return list.PageOf(w, all), nil
}

// follows reports whether a position of a photo follows another one in the list.
func follows(a, b key.Position) bool {
	c := key.Compare(a, b)
	return c < 0 || c == 0 && a.Range > b.Range
}
