// Package photos keeps a record of each photo, for as long as its bytes exist elsewhere:
//
//	uploaded     by a person, belongs to no comment, due a day later
//	taken        by a comment, in the comment's transaction
//	due          the comment does not have it any more, in the comment's transaction
//
// Records that are not taken are in partitions of the index all, in the order of the times when they
// are due. So what to delete is found without a scan, and nothing but the record says that a photo
// must be deleted: no process can forget it. Maintain deletes the bytes first and then the record,
// at least once. An upload writes the record first and then the bytes. So no bytes are without a
// record.
//
// All methods that call the store return an Unavailable error if the store does not answer.
package photos

import (
	"context"
	"fmt"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Photos keeps the records of photos of a table.
type Photos struct {
	t      *table.Table
	delete func(ctx context.Context, id string) error
}

// New returns the photos of a table. deletes removes the bytes of a photo, and succeeds if there are
// none; nil in a process that cannot.
func New(t *table.Table, deletes func(ctx context.Context, id string) error) *Photos {
	return &Photos{t, deletes}
}

// Attributes of a record besides keys. Its GSISK is when it is due, unless it is taken.
const (
	attrBy = item.AttrOwner  // S: who uploaded it; empty for programs of the shop, absent unless it is uploaded
	attrOf = "of"            // S: the comment that has taken it
	attrIs = item.AttrPhotos // B: the photo, while it is uploaded
)

const (
	// kept is how long a photo that was uploaded can be taken by a comment.
	kept = 24 * time.Hour
	// skew is how much longer its bytes exist: clocks of servers may differ by less.
	skew = time.Hour
)

// dueAt returns the record of a photo that is due at a time.
func dueAt(id string, at time.Time) table.Item {
	it, in := table.Key(key.Photo(id)), key.DuePhoto(id)
	it[in.Index.PartitionKey] = table.S(in.Value)
	it[in.Index.SortKey] = table.S(key.Position{CreatedAt: at, CommentID: id}.SortKey())
	return it
}

// takenBy returns the record of a photo of a comment.
func takenBy(id, commentID string) table.Item {
	it := table.Key(key.Photo(id))
	it[attrOf] = table.S(commentID)
	return it
}

// Upload records that a person uploads a photo; by is empty for programs of the shop. It returns
// BadUserInput for a photo that no comment could have, and Conflict if there is one with the id.
func (p *Photos) Upload(ctx context.Context, photo item.Photo, by string) error {
	if err := photo.Validate(); err != nil {
		return err
	}
	it := dueAt(photo.ID, p.t.Now().Add(kept+skew))
	it[attrBy], it[attrIs] = table.S(by), item.PhotosValue([]item.Photo{photo})
	err := p.t.Write(ctx, "record the photo", table.Write{Put: it, If: table.Absent})
	if there, refused := table.IsRefused(err); refused {
		if there != nil && table.Same(there, it) { // our own write, whose answer was lost
			return nil
		}
		return errs.Errorf(errs.Conflict, "There is already a photo with this id: upload it again")
	}
	return err
}

// Of returns the comment of a photo, empty for an upload; found is false if there is no such photo,
// or it is due.
func (p *Photos) Of(ctx context.Context, id string) (commentID string, found bool, err error) {
	it, err := p.t.Get(ctx, "the photo", table.Key(key.Photo(id)))
	return table.Text(it, attrOf), it[attrOf] != nil || it[attrBy] != nil, err
}

// Known returns which photos have a record, in any state.
func (p *Photos) Known(ctx context.Context, ids []string) (known map[string]bool, err error) {
	known = map[string]bool{}
	var keys []table.Item
	for _, id := range ids {
		keys = append(keys, table.Key(key.Photo(id)))
	}
	return known, p.t.GetMany(ctx, keys, true, func(it table.Item) error {
		id, _ := key.PhotoOf(table.Text(it, key.PK))
		known[id] = true
		return nil
	})
}

// Take completes the photos of a comment: the ones that it has, and others, which by must have uploaded.
// It returns them, and the writes that take the others, for the comment's transaction. It returns
// BadUserInput for others that are not there, and Conflict for those of another comment.
func (p *Photos) Take(ctx context.Context, field string, wanted, has []item.Photo, by, commentID string) (all []item.Photo, writes []table.Write, err error) {
	var keys []table.Item
	for _, w := range wanted {
		if !Has(has, w.ID) {
			keys = append(keys, table.Key(key.Photo(w.ID)))
		}
	}
	records := map[string]table.Item{}
	if err := p.t.GetMany(ctx, keys, true, func(it table.Item) error {
		records[table.Text(it, key.PK)] = it
		return nil
	}); err != nil {
		return nil, nil, err
	}
	var wrong []error
	until := key.Position{CreatedAt: p.t.Now().Add(skew)}.SortKey()
	for i, w := range wanted {
		n := slices.IndexFunc(has, func(h item.Photo) bool { return h.ID == w.ID })
		if n >= 0 {
			all = append(all, described(has[n], w.Description))
			continue
		}
		it := records[key.Photo(w.ID)]
		in := fmt.Sprintf("%s.%d.id", field, i)
		owner, uploaded := table.Text(it, attrBy), it[attrBy] != nil
		switch {
		case it[attrOf] != nil:
			e := errs.Errorf(errs.Conflict, "the photo belongs to another comment: upload it again")
			e.Field = in
			wrong = append(wrong, e)
			continue
		case !uploaded || owner != by || table.Text(it, key.GSISK) <= until:
			wrong = append(wrong, errs.Invalid(in, "you have not uploaded it within a day: upload it again").For(errs.NotAPhoto))
			continue
		}
		one, err := item.PhotosOf(table.Bytes(it, attrIs))
		if err != nil || len(one) != 1 {
			return nil, nil, table.Damaged(it, fmt.Errorf("it has no photo: %w", err))
		}
		all = append(all, described(one[0], w.Description))
		writes = append(writes, table.Write{Put: takenBy(w.ID, commentID)}.Unchanged(it, attrBy, key.GSISK))
	}
	return all, writes, errs.Join(wrong...)
}

func described(p item.Photo, description string) item.Photo {
	p.Description = description
	return p
}

// Has reports whether photos contain one with the id.
func Has(photos []item.Photo, id string) bool {
	return slices.ContainsFunc(photos, func(p item.Photo) bool { return p.ID == id })
}

// Gone returns the writes that make the photos due that a comment had before a change, for the
// transaction of the change. Nil is no comment.
func (p *Photos) Gone(before, after *item.Stored) (writes []table.Write) {
	if before == nil {
		return nil
	}
	for _, was := range before.Photos {
		if after == nil || !Has(after.Photos, was.ID) {
			writes = append(writes, table.Write{Put: dueAt(was.ID, p.t.Now())})
		}
	}
	return writes
}

// Name implements index.Index.
func (p *Photos) Name() string { return "photos" }

// Projected implements index.Entries: the records of a comment are written with it.
func (p *Photos) Projected() bool { return false }

// Entries implements index.Entries.
func (p *Photos) Entries(_ context.Context, _ settings.Settings, im *index.Image) (all []index.Entry, err error) {
	for _, of := range im.Photos {
		all = append(all, index.EntryFrom(takenBy(of.ID, im.ID), of.ID))
	}
	return all, nil
}

// EntryOf implements index.Entries.
func (p *Photos) EntryOf(it table.Item) (of index.Subject, ok bool) {
	_, ok = key.PhotoOf(table.Text(it, key.PK))
	of.Comment = table.Text(it, attrOf)
	return of, ok && of.Comment != ""
}

// Pause implements index.Maintained.
func (p *Photos) Pause() time.Duration { return 0 }

// Maintain implements index.Maintained: it deletes the photos that are due.
func (p *Photos) Maintain(ctx context.Context) error {
	if p.delete == nil {
		return nil
	}
	for n := range key.DuePhotos {
		q := table.Query{Partition: key.DuePhotoPartition(n), From: "0", To: key.Position{CreatedAt: p.t.Now()}.SortKey()}
		for it, err := range p.t.All(ctx, q) {
			if err == nil {
				err = p.deleteDue(ctx, it)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteDue deletes a photo that an index lists as due. The index may be behind, so it reads the
// record: one that is due cannot be taken any more.
func (p *Photos) deleteDue(ctx context.Context, listed table.Item) error {
	it, err := p.t.Get(ctx, "the photo", table.Primary(listed))
	if err != nil || it == nil || !table.SameValue(it[key.GSISK], listed[key.GSISK]) {
		return err
	}
	id, _ := key.PhotoOf(table.Text(it, key.PK))
	if err := p.delete(ctx, id); err != nil {
		return fmt.Errorf("delete the photo %s: %w", id, err)
	}
	err = p.t.Write(ctx, "forget the photo", table.Write{Key: table.Primary(it), Delete: true}.Unchanged(it, key.GSISK))
	if _, refused := table.IsRefused(err); refused { // another process was faster
		return nil
	}
	return err
}

// UploadedBy reports whether an item is the record of a photo that a person uploaded and no comment
// has taken, and returns the photo.
func UploadedBy(it table.Item, subject string) (photo item.Photo, ok bool) {
	if _, ok := key.PhotoOf(table.Text(it, key.PK)); !ok || it[attrBy] == nil || table.Text(it, attrBy) != subject {
		return photo, false
	}
	all, err := item.PhotosOf(table.Bytes(it, attrIs))
	if err != nil || len(all) != 1 {
		return photo, false
	}
	return all[0], true
}

// Drop makes a photo due that was uploaded, unless a comment has taken it.
func (p *Photos) Drop(ctx context.Context, it table.Item) error {
	id, _ := key.PhotoOf(table.Text(it, key.PK))
	err := p.t.Write(ctx, "drop the photo", table.Write{Put: dueAt(id, p.t.Now())}.Unchanged(it, attrBy))
	if _, refused := table.IsRefused(err); refused {
		return nil
	}
	return err
}
