package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/photos"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// Album takes the pictures of files into the bucket of photos.
type Album struct {
	Store interface {
		GetMany(ctx context.Context, ids []string) ([]*store.Comment, error)
		UploadedPhoto(ctx context.Context, p store.Photo, subject string) error
	}
	Bucket *photos.Bucket
	Reader *photos.Reader
	// Fetch downloads a picture; nil leaves out pictures that have a url. An error refuses the picture.
	Fetch func(ctx context.Context, url string) ([]byte, error)
}

const (
	albumLines = 50 // of a window: an import that was killed fetches no more of them again
	atOnce     = 4  // pictures that are read or fetched
	takes      = 4  // ids of one picture of a comment: a former photo may still be due
)

// idsFor returns the ids that a picture may have in a comment. They follow from the comment and the
// picture's address, or the content of its file, so that an import finds what an earlier one has
// copied. To guess them takes the picture itself.
func idsFor(commentID, source string) (ids []string) {
	for n := range takes {
		sum := sha256.Sum256([]byte(strings.Join([]string{commentID, source, strconv.Itoa(n)}, "\x00")))
		ids = append(ids, photo.IDOf([16]byte(sum[:16])))
	}
	return ids
}

// take copies the pictures of a window's comments, and sets their photos. A comment of which none can
// be copied keeps the photos that it has. After an error, which is the store's, the bucket's or the
// context's, the call can be repeated.
func (a *Album) take(ctx context.Context, w *window) error {
	var with []int
	var ids []string
	for i := range w.sources {
		if len(w.sources[i].pictures) > 0 {
			with, ids = append(with, i), append(ids, w.comments[i].ID)
		}
	}
	if a == nil {
		for _, i := range with {
			w.PicturesLeftOut += int64(len(w.sources[i].pictures))
			w.sources[i].pictures = nil
		}
		return nil
	}
	if len(with) == 0 {
		return nil
	}
	existing, err := a.Store.GetMany(ctx, ids)
	if err != nil {
		return err
	}
	var mu sync.Mutex // of the window's counts
	group, of := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for n, i := range with {
		var has []store.Photo
		if existing[n] != nil {
			has = existing[n].Photos
		}
		group.Go(func() error { return a.takeOf(of, w, i, has, &mu) })
	}
	return group.Wait()
}

// takeOf copies the pictures of one comment, which has photos.
func (a *Album) takeOf(ctx context.Context, w *window, i int, has []store.Photo, mu *sync.Mutex) error {
	from, c := &w.sources[i], &w.comments[i]
	for len(from.pictures) > 0 {
		p := from.pictures[0]
		taken, copied, err := a.one(ctx, w.file, c.ID, p, has, c.Photos)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errs.CodeOf(err) == errs.Unavailable:
			return err
		}
		mu.Lock()
		switch {
		case errors.Is(err, errTwice):
		case errors.Is(err, errLeftOut):
			w.PicturesLeftOut++
		case err != nil:
			r := newReject(w.file, from.line, from.raw, err)
			r.Field = strings.TrimSuffix(ndjson.Photos+": "+p.File+p.URL, ": ")
			w.lost = append(w.lost, r)
		default:
			c.Photos = append(c.Photos, taken)
			if copied {
				w.Pictures++
			}
		}
		mu.Unlock()
		from.pictures = from.pictures[1:]
	}
	return nil
}

var (
	errLeftOut = errors.New("it is left out")
	errTwice   = errors.New("the comment has it once")
)

// one returns the photo of a picture, which the comment has, or which is copied now.
func (a *Album) one(ctx context.Context, file, commentID string, p ndjson.Picture, has, before []store.Photo) (taken store.Photo, copied bool, err error) {
	source := p.URL
	var content []byte
	if p.File != "" {
		if content, err = contentOf(file, p.File); err != nil {
			return taken, false, err
		}
		sum := sha256.Sum256(content)
		source = string(sum[:])
	}
	ids := idsFor(commentID, source)
	if err := item.ValidatePhotos(ndjson.Photos, []store.Photo{{ID: ids[0], Description: p.Description}}); err != nil {
		return taken, false, err
	}
	known := func(of store.Photo) bool { return p.ID != "" && of.ID == p.ID || slices.Contains(ids, of.ID) }
	if slices.ContainsFunc(before, known) {
		return taken, false, errTwice
	}
	if len(before) >= item.MaxPhotos {
		return taken, false, errs.Invalid(ndjson.Photos, "the comment has %d photos before it, the limit", item.MaxPhotos).For(errs.TooMany)
	}
	if i := slices.IndexFunc(has, known); i >= 0 {
		return store.Photo{ID: has[i].ID, Description: p.Description}, false, nil
	}
	if p.URL != "" {
		if a.Fetch == nil {
			return taken, false, errLeftOut
		}
		if content, err = a.Fetch(ctx, p.URL); err != nil {
			return taken, false, err
		}
	}
	picture, err := a.Reader.Read(ctx, content)
	if err != nil {
		return taken, false, err
	}
	for _, id := range ids {
		picture.ID = id
		taken = picture.Photo
		if err = a.Store.UploadedPhoto(ctx, taken, ""); err == nil {
			taken.Description = p.Description
			return taken, true, a.Bucket.Put(ctx, picture)
		}
		if errs.CodeOf(err) != errs.Conflict { // a former upload that no comment took, or a photo that is due
			return taken, false, err
		}
	}
	return taken, false, errs.Errorf(errs.Conflict, "it was copied %d times within a day: import it again tomorrow", takes)
}

// contentOf returns the bytes of a picture next to a file of comments, one more than allowed at most.
func contentOf(file, name string) ([]byte, error) {
	folder := "."
	if file != stdin {
		folder = filepath.Dir(file)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, errs.Invalid(ndjson.Photos, "%.80q is not within the folder of the file of comments: put it there", name)
	}
	root, err := os.OpenRoot(folder) // so that no symbolic link leads outside
	if err != nil {
		return nil, errs.Invalid(ndjson.Photos, "%v", err)
	}
	defer root.Close() // it was only read
	info, err := root.Stat(filepath.FromSlash(name))
	if err == nil && !info.Mode().IsRegular() { // a pipe would wait
		return nil, errs.Invalid(ndjson.Photos, "%.80q is no regular file", name)
	}
	var f *os.File
	if err == nil {
		f, err = root.Open(filepath.FromSlash(name))
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errs.Invalid(ndjson.Photos, "there is no file %.80q in the folder of the file of comments", name)
		}
		return nil, errs.Invalid(ndjson.Photos, "the file %.80q cannot be read: %v", name, err)
	}
	defer f.Close() // it was only read
	content, err := io.ReadAll(io.LimitReader(f, photos.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %.80q: %w", name, err)
	}
	return content, nil
}
