package photos

import (
	"context"
	"fmt"
	"sync"
	"time"

	"product-comments/store"
	"product-comments/store/comment/item"
)

// Known is what a store knows of photos.
type Known interface {
	UnknownPhotos(ctx context.Context, ids []string) ([]string, error)
	EachWithPhotos(ctx context.Context, o store.ScanOptions, each func(context.Context, *store.Comment) error) error
	Get(ctx context.Context, id string) (*store.Comment, error)
}

// Verification configures Verify.
type Verification struct {
	store.ScanOptions
	Delete bool             // photos that are unknown
	Found  func(say string) // is called for each thing that is wrong; calls do not overlap
	Now    func() time.Time // nil is time.Now
}

// Verified is what Verify counted.
type Verified struct {
	Comments, Lacking int64 // comments that have photos, and photos of them that lack objects
	Photos, Unknown   int64 // photos in the bucket, and ones without a record
	Deleted           int64
}

// underWay is how old a photo without a record must be: an upload may be under way, and clocks may be
// wrong.
const underWay = 24 * time.Hour

// Verify compares a bucket with the store that uses it. It finds photos of comments that lack objects,
// and photos in the bucket that the store has no record of, which nothing else deletes. It holds a
// hundred ids in memory at a time.
func Verify(ctx context.Context, b *Bucket, known Known, o Verification) (v Verified, err error) {
	var mu sync.Mutex
	err = known.EachWithPhotos(ctx, o.ScanOptions, func(ctx context.Context, c *store.Comment) error {
		lacking, err := b.lacking(ctx, c, known)
		mu.Lock()
		defer mu.Unlock()
		v.Comments++
		v.Lacking += int64(len(lacking))
		for _, say := range lacking {
			o.Found(say)
		}
		return err
	})
	if err != nil {
		return v, err
	}
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	var old []string
	check := func() error {
		unknown, err := known.UnknownPhotos(ctx, old)
		old = old[:0]
		for _, id := range unknown {
			v.Unknown++
			say := "photo " + id + " is of no comment and no upload"
			if o.Delete {
				if err := b.Delete(ctx, id); err != nil {
					return err
				}
				v.Deleted++
				say += ": deleted"
			}
			o.Found(say)
		}
		return err
	}
	err = b.Each(ctx, func(id string, modified time.Time) error {
		v.Photos++
		if now().Sub(modified) < underWay {
			return nil
		}
		if old = append(old, id); len(old) < store.MaxBatchGet {
			return nil
		}
		return check()
	})
	if err == nil {
		err = check()
	}
	return v, err
}

// lacking says which photos of a comment lack objects. The comment may have changed in the meantime,
// so it is read again.
func (b *Bucket) lacking(ctx context.Context, c *store.Comment, known Known) (all []string, err error) {
	var now *store.Comment
	for _, p := range c.Photos {
		missing, err := b.Lacks(ctx, p.ID, p.Width)
		if err != nil {
			return all, err
		}
		if len(missing) == 0 {
			continue
		}
		if now == nil {
			if now, err = known.Get(ctx, c.ID); err != nil || now == nil {
				return all, err
			}
		}
		for _, has := range now.Photos {
			if has.ID == p.ID {
				all = append(all, fmt.Sprintf("comment %q: photo %s lacks the objects of the widths %v", item.Printable(c.ID), p.ID, missing))
			}
		}
	}
	return all, nil
}
