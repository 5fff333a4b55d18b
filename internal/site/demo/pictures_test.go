package demo

import (
	"context"
	"testing"

	"product-comments/internal/files/photos"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/read/plan"
)

// Comments get the photos that are drawn for them, also if that is done again after a stop.
func TestPictures(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	bucket := testkit.Value(photos.Open(ctx, t.TempDir()))(t)
	t.Cleanup(func() { testkit.Must(t, bucket.Close()) })
	comments := Comments()[:3]
	want := pictured[bestseller]
	stopped, cancel := context.WithCancel(ctx)
	testkit.Value(st.Import(ctx, comments))(t)
	cancel()
	testkit.Fails(t, addPictures(stopped, st, bucket, comments), "canceled")
	for range 2 {
		testkit.Must(t, addPictures(ctx, st, bucket, comments))
		page := testkit.Value(st.Page(ctx, plan.Filter{ProductID: bestseller}, store.Window{Limit: 3}))(t)
		for i, c := range page.Items {
			testkit.Equal(t, len(c.Photos), len(want[i]), "photos of comment %d", i)
			for _, p := range c.Photos {
				testkit.Must(t, testkit.Value(bucket.Get(ctx, p.ID, 480))(t).Close())
			}
		}
	}
}
