package photos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// known is a store of comments, whose photos and some others have records.
type known struct {
	comments []*store.Comment
	now      map[string]*store.Comment
	others   []string
	most     int // ids that were asked at once
}

func (k *known) EachWithPhotos(ctx context.Context, _ store.ScanOptions, each func(context.Context, *store.Comment) error) error {
	for _, c := range k.comments {
		if err := each(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (k *known) Get(_ context.Context, id string) (*store.Comment, error) { return k.now[id], nil }

func (k *known) UnknownPhotos(_ context.Context, ids []string) (unknown []string, err error) {
	k.most = max(k.most, len(ids))
	for _, id := range ids {
		has := func(c *store.Comment) bool {
			return slices.ContainsFunc(c.Photos, func(p store.Photo) bool { return p.ID == id })
		}
		if !slices.Contains(k.others, id) && !slices.ContainsFunc(k.comments, has) {
			unknown = append(unknown, id)
		}
	}
	return unknown, nil
}

func TestVerify(t *testing.T) {
	for name, where := range map[string]string{"folder": t.TempDir(), "S3": fakeS3(t, func(h http.Handler) http.Handler { return h })} {
		t.Run(name, func(t *testing.T) {
			b, whole, part, gone, upload := open(t, where), some(Widths...), some(160), some(160), some(160)
			of := func(id string, p Picture, width int) *store.Comment {
				return &store.Comment{ID: id, Photos: []store.Photo{{ID: p.ID, Width: width, Height: 9}}}
			}
			k := &known{comments: []*store.Comment{of("a", whole, 1600), of("b", part, 700), of("c", gone, 100), of("d", gone, 100), of("e", gone, 100)}, others: []string{upload.ID}}
			// d lost its photo after the scan has read it, and e was deleted
			k.now = map[string]*store.Comment{"b": k.comments[1], "c": k.comments[2], "d": {ID: "d"}}
			for _, p := range []Picture{whole, part, upload} {
				testkit.Must(t, b.Put(t.Context(), p))
			}
			var orphans []string
			for range store.MaxBatchGet + 3 {
				p := some(160)
				testkit.Must(t, b.Put(t.Context(), p))
				orphans = append(orphans, p.ID)
			}
			verify := func(delete bool, later time.Duration) (Verified, string) {
				var said []string
				v := testkit.Value(Verify(t.Context(), b, k, Verification{Delete: delete, Found: func(say string) { said = append(said, say) },
					Now: func() time.Time { return time.Now().Add(later) }}))(t)
				return v, strings.Join(said, "\n")
			}
			total := int64(3 + len(orphans))
			v, said := verify(true, 23*time.Hour) // all of them may be uploads under way
			testkit.Equal(t, v, Verified{Comments: 5, Lacking: 2, Photos: total}, "young")
			testkit.Equal(t, said, fmt.Sprintf("comment \"b\": photo %s lacks the objects of the widths [480 1600]\ncomment \"c\": photo %s lacks the objects of the widths [160]", part.ID, gone.ID), "said")
			v, said = verify(false, 25*time.Hour)
			testkit.Equal(t, v, Verified{Comments: 5, Lacking: 2, Photos: total, Unknown: int64(len(orphans))}, "old")
			testkit.Check(t, strings.Count(said, "of no comment and no upload") == len(orphans) && strings.Contains(said, orphans[0]), "%s", said)
			testkit.Equal(t, k.most, store.MaxBatchGet, "ids at once")
			v, _ = verify(true, 25*time.Hour)
			testkit.Equal(t, v.Deleted, int64(len(orphans)), "deleted")
			want := []string{whole.ID, part.ID, upload.ID}
			slices.Sort(want)
			testkit.Equal(t, strings.Join(ids(t, b), " "), strings.Join(want, " "), "photos that stay")
		})
	}
}

// A bucket that is down is no bucket without objects.
func TestVerifyOfABucketThatIsDown(t *testing.T) {
	b := open(t, fakeS3(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	}))
	k := &known{comments: []*store.Comment{{ID: "a", Photos: []store.Photo{{ID: photo.NewID(), Width: 9, Height: 9}}}}}
	k.now = map[string]*store.Comment{"a": k.comments[0]}
	_, err := Verify(t.Context(), b, k, Verification{Found: func(say string) { t.Error(say) }})
	testkit.Equal(t, errs.CodeOf(err), errs.Unavailable, "%v", err)
}
