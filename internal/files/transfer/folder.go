package transfer

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/internal/files/file"
	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/photos"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// PhotoFolder is a folder that an export writes photos to. Nil is none.
type PhotoFolder struct {
	bucket  *photos.Bucket
	dir     string
	Missing int // photos that the bucket lacks
}

// NewPhotoFolder returns a folder, which it makes.
func NewPhotoFolder(from *photos.Bucket, dir string) (*PhotoFolder, error) {
	return &PhotoFolder{bucket: from, dir: dir}, os.MkdirAll(dir, 0o700) // photos are personal data
}

// Close closes the bucket.
func (f *PhotoFolder) Close() error {
	if f == nil {
		return nil
	}
	return f.bucket.Close()
}

// append writes the photos of a comment that the folder lacks, and appends the comment's line.
func (f *PhotoFolder) append(ctx context.Context, dst []byte, c *store.Comment) ([]byte, error) {
	if f == nil || len(c.Photos) == 0 {
		return ndjson.Append(dst, c), nil
	}
	var mu sync.Mutex
	missing := map[string]bool{}
	group, of := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, p := range c.Photos {
		group.Go(func() error {
			err := f.write(of, p)
			if errs.CodeOf(err) == errs.NotFound {
				mu.Lock()
				defer mu.Unlock()
				missing[p.ID] = true
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return dst, err
	}
	f.Missing += len(missing)
	return ndjson.AppendWithFiles(dst, c, func(id string) string {
		if missing[id] {
			return ""
		}
		return path.Join(filepath.Base(f.dir), id+".jpg")
	}), nil
}

// write writes a photo, whole or not at all, unless it is there.
func (f *PhotoFolder) write(ctx context.Context, p store.Photo) error {
	to := filepath.Join(f.dir, p.ID+".jpg")
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	all := photo.Renditions(p.Width)
	o, err := f.bucket.Get(ctx, p.ID, all[len(all)-1])
	if err != nil {
		return err
	}
	defer o.Close() // it was only read
	content, err := io.ReadAll(io.LimitReader(o, photos.MaxBytes))
	if err != nil {
		return err
	}
	return file.Replace(to, content)
}
