package command

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	pictures "product-comments/internal/files/photos"
	"product-comments/internal/files/progress"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/photos"
	"product-comments/store"
	"product-comments/store/key/photo"
)

// photoFlags configure where photos of comments are.
type photoFlags struct {
	Photos    string `help:"Where photos of comments are: a folder, or s3://BUCKET?region=REGION with the usual credentials of AWS's SDK; off is for no photos. The default is the folder photos in the data directory for the embedded engine, else off. All servers of a table must have the same." env:"PHOTOS" placeholder:"off|FOLDER|s3://BUCKET"`
	PhotosURL string `help:"Where clients reach the bucket itself, such as a CDN's https://cdn.shop.example, for photos of published comments. The default is this server." name:"photos-url" env:"PHOTOS_URL" placeholder:"URL"`
}

// where returns the folder or the address of the bucket; empty for no photos.
func (f *photoFlags) where(of *storeFlags) (string, error) {
	u, err := url.Parse(f.PhotosURL)
	switch {
	case f.PhotosURL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != ""):
		return "", fmt.Errorf("--photos-url is %q: give the address of the bucket, such as https://cdn.shop.example", f.PhotosURL)
	case f.Photos == "off", f.Photos == "" && !of.onThisMachine():
		if f.PhotosURL != "" {
			return "", fmt.Errorf("--photos-url has no effect without --photos")
		}
		return "", nil
	case f.Photos == "":
		return filepath.Join(of.DataDir, "photos"), nil
	case strings.Contains(f.Photos, "://") && !strings.HasPrefix(f.Photos, "s3://"):
		return "", fmt.Errorf("--photos is %q: give a folder, s3://BUCKET?region=REGION, or off", f.Photos)
	}
	return f.Photos, nil
}

// options returns the options of photos, without records, and opens their bucket; nil for none. server
// is where clients reach this server, and secrets are those of the deployment.
func (f *photoFlags) options(ctx context.Context, of *storeFlags, server string, secrets [][]byte, memory admission.Memory) (*photos.Options, error) {
	where, err := f.where(of)
	if where == "" || err != nil {
		return nil, err
	}
	o := &photos.Options{Reader: pictures.NewReader(min(pictures.DefaultMemory, memory.Total/4))}
	if o.Addresses, err = photo.NewAddresses(server, f.PhotosURL, secrets...); err != nil {
		return nil, err
	}
	o.Bucket, err = pictures.Open(ctx, where)
	return o, err
}

// bucket opens the bucket for a process that deletes photos; nil for none.
func (f *photoFlags) bucket(ctx context.Context, of *storeFlags) (*pictures.Bucket, error) {
	where, err := f.where(of)
	if where == "" || err != nil {
		return nil, err
	}
	return pictures.Open(ctx, where)
}

// deletes makes a store with the options delete photos from the bucket, if there is one. close closes
// that.
func (f *photoFlags) deletes(ctx context.Context, of *storeFlags, o *store.Options) (close func() error, err error) {
	bucket, err := f.bucket(ctx, of)
	if bucket == nil {
		return func() error { return nil }, err
	}
	o.DeletePhoto = bucket.Delete
	return bucket.Close, nil
}

type photosCmd struct {
	Verify photosVerify `cmd:"" help:"Compare the photos in the bucket with the comments. It reads the whole table and lists the whole bucket. The exit status is ${exit_found} if a comment's photo lacks objects, or if a photo older than a day is of no comment and no upload."`
}

type photosVerify struct {
	storeFlags
	photoFlags
	rateFlag
	Delete bool `help:"Delete the photos that are of no comment and no upload. The table must be the one whose servers have this bucket."`
}

// errPhotos ends a verification of photos that found something, which it has printed.
var errPhotos = errors.New("the photos differ from the comments")

// Run compares the bucket with the table, and prints what differs.
func (v *photosVerify) Run(ctx context.Context) (err error) {
	bucket, err := v.bucket(ctx, &v.storeFlags)
	if err != nil {
		return err
	}
	if bucket == nil {
		return errors.New("there is nothing to verify without --photos: give what the servers have")
	}
	defer func() { err = errors.Join(err, bucket.Close()) }()
	return v.withStore(ctx, func(opened *openStore) error {
		bar := beginProgress(ctx, opened.Store, "verify")
		found, err := pictures.Verify(ctx, bucket, opened.Store, pictures.Verification{
			ScanOptions: store.ScanOptions{Rate: v.Rate, Progress: bar.Set}, Delete: v.Delete, Found: func(say string) { fmt.Println(say) }})
		bar.End(err == nil)
		if err != nil {
			return hintRerun(err)
		}
		fmt.Printf("%s with photos, of which %d lack objects; %s in the bucket, of which %d are of no comment and no upload, %d deleted\n",
			progress.Counted(found.Comments, "comment"), found.Lacking, progress.Counted(found.Photos, "photo"), found.Unknown, found.Deleted)
		if found.Lacking > 0 || found.Unknown > found.Deleted {
			return errPhotos
		}
		return nil
	})
}

// urls returns the addresses of photos for the API; nil without photos.
func urls(o *photos.Options) func(id string, rendition int, published bool) string {
	if o == nil {
		return nil
	}
	return func(id string, rendition int, published bool) string {
		if published {
			return o.Addresses.URL(id, rendition)
		}
		return o.Addresses.Signed(id, rendition, time.Now())
	}
}

// bucketOf returns the bucket of photos; nil without photos.
func bucketOf(o *photos.Options) *pictures.Bucket {
	if o == nil {
		return nil
	}
	return o.Bucket
}
