package photos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3://
	"gocloud.dev/gcerrors"

	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// CacheControl is that of renditions, which never change.
const CacheControl = "public, max-age=31536000, immutable"

const (
	callTime  = 10 * time.Second // of a call of the bucket
	readTime  = time.Minute      // of reading a rendition, as fast as its client does
	cleanTime = time.Second      // of deleting what a failed Put has stored
	s3Scheme  = "s3://"
	jpegType  = "image/jpeg"
)

// Bucket keeps the renditions of photos as objects <id>/<width>: files of a folder, or objects of an
// S3 bucket. Its errors are Unavailable if the bucket cannot be reached, or the disk is full.
type Bucket struct {
	blobs  *blob.Bucket
	folder string // of files; empty for S3
}

// Open opens a bucket: s3://bucket?region=… with the usual credentials of AWS's SDK, or a folder,
// which it makes.
func Open(ctx context.Context, where string) (b *Bucket, err error) {
	b = &Bucket{}
	if strings.HasPrefix(where, s3Scheme) {
		b.blobs, err = blob.OpenBucket(ctx, where)
	} else {
		b.folder = where
		b.blobs, err = fileblob.OpenBucket(where, &fileblob.Options{
			CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	}
	if err != nil {
		return nil, fmt.Errorf("open the photos at %s: %w", where, err)
	}
	return b, nil
}

// Close closes the bucket.
func (b *Bucket) Close() error { return b.blobs.Close() }

// Put stores the renditions of a new photo: all, or after an error none that can be deleted.
func (b *Bucket) Put(ctx context.Context, p Picture) error {
	for _, r := range p.Renditions {
		err := within(ctx, func(ctx context.Context) error {
			return b.blobs.WriteAll(ctx, object(p.ID, r.Width), r.JPEG,
				&blob.WriterOptions{ContentType: jpegType, CacheControl: CacheControl})
		})
		if err != nil {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
			_ = b.Delete(last, p.ID) // the sweep finds what remains
			cancel()
			return unavailable(err)
		}
	}
	return nil
}

// Object is a rendition that is read. The reader must close it.
type Object struct {
	io.ReadCloser
	Size     int64
	Modified time.Time
}

// Get opens a rendition. The error is NotFound if there is none.
func (b *Bucket) Get(ctx context.Context, id string, width int) (*Object, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	slow := time.AfterFunc(callTime, cancel) // of the answer's begin
	r, err := b.blobs.NewReader(ctx, object(id, width), nil)
	if err == nil && !slow.Stop() {
		err = errors.Join(context.DeadlineExceeded, r.Close())
	}
	if err != nil {
		cancel()
		if gcerrors.Code(err) == gcerrors.NotFound {
			return nil, errs.Errorf(errs.NotFound, "there is no photo %s of this size", id)
		}
		return nil, unavailable(err)
	}
	return &Object{reading{r, cancel}, r.Size(), r.ModTime()}, nil
}

// reading ends the context of a reader when it is closed.
type reading struct {
	*blob.Reader
	cancel context.CancelFunc
}

func (r reading) Close() error {
	defer r.cancel()
	return r.Reader.Close()
}

// Lacks returns the renditions that a photo should have, and the bucket does not.
func (b *Bucket) Lacks(ctx context.Context, id string, width int) (missing []int, err error) {
	for _, name := range photo.Renditions(width) {
		var there bool
		err := within(ctx, func(ctx context.Context) (err error) {
			there, err = b.blobs.Exists(ctx, object(id, name))
			return err
		})
		if err != nil {
			return nil, unavailable(err)
		}
		if !there {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// Delete deletes all renditions of a photo, also if some or all are missing.
func (b *Bucket) Delete(ctx context.Context, id string) error {
	if !photo.Valid(id) {
		return errs.Errorf(errs.NotFound, "there is no photo %q", id)
	}
	if b.folder != "" { // with what a killed process was writing
		return unavailable(os.RemoveAll(filepath.Join(b.folder, id)))
	}
	for _, width := range Widths {
		err := within(ctx, func(ctx context.Context) error { return b.blobs.Delete(ctx, object(id, width)) })
		if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return unavailable(err)
		}
	}
	return nil
}

// Each calls found with the id of every photo, in order, with the time when its last rendition was
// stored. Other objects of the bucket are skipped.
func (b *Bucket) Each(ctx context.Context, found func(id string, modified time.Time) error) error {
	var last string
	var modified time.Time
	end := func() error {
		if last == "" {
			return nil
		}
		return found(last, modified)
	}
	if b.folder != "" { // fileblob lists nothing of a folder that is gone
		if _, err := os.Stat(b.folder + string(filepath.Separator)); err != nil {
			return unavailable(err)
		}
	}
	for all := b.blobs.List(nil); ; {
		var o *blob.ListObject
		err := within(ctx, func(ctx context.Context) (err error) {
			o, err = all.Next(ctx)
			return err
		})
		if errors.Is(err, io.EOF) {
			return end()
		}
		if err != nil {
			return unavailable(err)
		}
		id, _, below := strings.Cut(o.Key, "/")
		if !below || !photo.Valid(id) {
			continue
		}
		if id != last {
			if err := end(); err != nil {
				return err
			}
			last, modified = id, time.Time{}
		}
		if o.ModTime.After(modified) {
			modified = o.ModTime
		}
	}
}

func object(id string, width int) string { return id + "/" + strconv.Itoa(width) }

// within calls do with a context of limited time.
func within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return do(ctx)
}

// unavailable returns the error for clients; nil stays nil.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	e := errs.Wrap(errs.Unavailable, err, "photos cannot be stored or read now, try again; everything else works")
	e.RetryAfter = callTime
	return e
}
